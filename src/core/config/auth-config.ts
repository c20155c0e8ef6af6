import { Type } from "./schema-type.ts";
import { judgeAddress } from "../http/addresses.ts";
import type { ConfigFinding } from "./check-value.ts";

const optionalText = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

const idp = Type.Object(
  {
    issuer: Type.String({ minLength: 1, description: "Address of the organisation's identity provider." }),
    clientId: Type.String({ minLength: 1, description: "Id of the client that is registered there." }),
    clientSecret: optionalText("Secret of that client. Prefer an environment variable: $NAME."),
    idTokenFile: Type.String({
      minLength: 1,
      description:
        "File with the ID token of the user who signed in at the identity provider. Read each time it is needed.",
    }),
  },
  { additionalProperties: false, description: "The identity provider of an organisation (grant `enterprise`)." },
);

/** How to sign in to one server. */
export const authSchema = Type.Object(
  {
    clientId: Type.Optional(Type.String({ description: "Id of an OAuth client that you registered by hand." })),
    clientSecret: Type.Optional(
      Type.String({
        description:
          "Secret of that client. Prefer an environment variable: $NAME. Set `authorizationServerUrl` with it: otherwise the secret goes to the authorization server that the MCP server names at the first sign-in. Grants without a user require it.",
      }),
    ),
    initialAccessToken: optionalText(
      "Token with which Clawport registers itself, for authorization servers that register only clients with one. Prefer an environment variable: $NAME. Needs `authorizationServerUrl`.",
    ),
    clientMetadataUrl: optionalText(
      "Address (https) of a document that describes Clawport as a client, for authorization servers that accept one. `clawport auth client-document` prints it.",
    ),
    privateKeyFile: optionalText("File with the private key of the client (PEM), if it authenticates by signing."),
    signingAlgorithm: Type.Optional(
      Type.Enum(
        [
          "ES256",
          "ES384",
          "ES512",
          "RS256",
          "RS384",
          "RS512",
          "PS256",
          "PS384",
          "PS512",
          "EdDSA",
          "Ed25519",
          "HS256",
          "HS384",
          "HS512",
        ],
        {
          description:
            "How that key signs. By default the key decides. With HS256, HS384 or HS512 `clientSecret` signs instead of being sent.",
        },
      ),
    ),
    authorizationServerUrl: Type.Optional(
      Type.String({
        description:
          "Address of the authorization server. Set it if discovery does not work, or if the MCP server must not choose it, as with a secret that is sent without a user.",
      }),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String(), { description: "Scopes to request instead of those the server names." }),
    ),
    redirectPort: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: "Port on this machine to which the browser returns. By default a free one.",
      }),
    ),
    redirectUri: optionalText(
      "Address to which the browser returns, if the client was registered with another address than this machine's.",
    ),
    grant: Type.Optional(
      Type.Enum(["authorization-code", "device-code", "client-credentials", "workload", "enterprise"], {
        description:
          "How to sign in: in a browser (the default), with a code on another device, or without a user: as the client itself, with the identity of a workload, or through an organisation's identity provider.",
      }),
    ),
    assertionFile: optionalText("File with the JWT of a workload (grant `workload`). Read each time it is needed."),
    idp: Type.Optional(idp),
    dpop: Type.Optional(
      Type.Enum(["auto", "always", "never"], {
        description:
          "Whether tokens are bound to a key of Clawport's (DPoP). `auto`, the default, does so if the server asks for it.",
      }),
    ),
    allowMissingPkce: Type.Optional(
      Type.Boolean({
        description:
          "Continues if the authorization server does not say that it checks PKCE (S256). Only for servers known to check it anyway.",
      }),
    ),
    omitResource: Type.Optional(
      Type.Boolean({
        description:
          "Leaves out which server a token is for (RFC 8707). Only for authorization servers that reject this parameter.",
      }),
    ),
  },
  { additionalProperties: false, description: "How to sign in with OAuth. Usually everything here is discovered." },
);

export type AuthConfig = Type.Static<typeof authSchema>;

/** What a schema can't express: which fields belong together, and which addresses are safe. */
export function checkAuthConfig(auth: AuthConfig): readonly ConfigFinding[] {
  const findings: ConfigFinding[] = [
    ...checkAddress(["authorizationServerUrl"], auth.authorizationServerUrl),
    ...checkAddress(["redirectUri"], auth.redirectUri),
    ...checkAddress(["idp", "issuer"], auth.idp?.issuer),
  ];
  const needs = (field: keyof AuthConfig, why: string) => {
    if (auth[field] === undefined) findings.push({ path: [], message: `needs \`${field}\`, since ${why}` });
  };
  const document = URL.parse(auth.clientMetadataUrl ?? "https://example.com/client.json");
  if (document?.protocol !== "https:" || document.pathname === "/")
    findings.push({
      path: ["clientMetadataUrl"],
      message: "must be the https address of a document, like https://example.com/clawport.json",
    });
  if (auth.redirectPort !== undefined && auth.redirectUri !== undefined)
    findings.push({ path: ["redirectPort"], message: "and `redirectUri` say the same thing; keep one of them" });
  if (auth.initialAccessToken !== undefined) needs("authorizationServerUrl", goesToAnyServer("initialAccessToken"));
  if (auth.signingAlgorithm?.startsWith("HS") === true) {
    needs("clientSecret", `\`signingAlgorithm\` is ${auth.signingAlgorithm}`);
    if (auth.privateKeyFile !== undefined)
      findings.push({ path: ["signingAlgorithm"], message: "does not fit `privateKeyFile`; it is for `clientSecret`" });
  }
  switch (auth.grant) {
    case "client-credentials":
      needs("clientId", "its grant is client-credentials");
      if (auth.clientSecret === undefined && auth.privateKeyFile === undefined)
        findings.push({
          path: [],
          message: "needs `clientSecret` or `privateKeyFile`, since its grant is client-credentials",
        });
      if (auth.clientSecret !== undefined) needs("authorizationServerUrl", goesToAnyServer("clientSecret"));
      break;
    case "workload":
      needs("assertionFile", "its grant is workload");
      needs("authorizationServerUrl", goesToAnyServer("assertionFile"));
      break;
    case "enterprise":
      needs("clientId", "its grant is enterprise");
      needs("idp", "its grant is enterprise");
      if (auth.clientSecret !== undefined) needs("authorizationServerUrl", goesToAnyServer("clientSecret"));
      break;
    default:
  }
  return findings.map((found) => ({ ...found, path: ["auth", ...found.path] }));
}

/** Without a user no one sees where a secret is sent, and an MCP server may name any authorization server. */
function goesToAnyServer(field: keyof AuthConfig): string {
  return `\`${field}\` would otherwise go to any authorization server that the server names`;
}

export function checkAddress(path: readonly string[], address: string | undefined): ConfigFinding[] {
  const message = address === undefined ? undefined : judgeAddress(address);
  return message === undefined ? [] : [{ path, message }];
}
