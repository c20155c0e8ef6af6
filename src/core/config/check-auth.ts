import type { AuthConfig } from "./auth-schema.ts";
import { checkAddress } from "./check-address.ts";
import type { Finding } from "./check-value.ts";

/** What a schema can't say of signing in: which fields belong together, and which addresses are safe. */
export function checkAuth(auth: AuthConfig): readonly Finding[] {
  const findings: Finding[] = [
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
  switch (auth.grant) {
    case "client-credentials":
      needs("clientId", "its grant is client-credentials");
      if (auth.clientSecret === undefined && auth.privateKeyFile === undefined)
        findings.push({
          path: [],
          message: "needs `clientSecret` or `privateKeyFile`, since its grant is client-credentials",
        });
      if (auth.clientSecret !== undefined) needs("authorizationServerUrl", goesAnywhere("clientSecret"));
      break;
    case "workload":
      needs("assertionFile", "its grant is workload");
      needs("authorizationServerUrl", goesAnywhere("assertionFile"));
      break;
    case "enterprise":
      needs("clientId", "its grant is enterprise");
      needs("idp", "its grant is enterprise");
      if (auth.clientSecret !== undefined) needs("authorizationServerUrl", goesAnywhere("clientSecret"));
      break;
    default:
  }
  return findings.map((found) => ({ ...found, path: ["auth", ...found.path] }));
}

/** Without a person nobody sees to whom a secret is sent, and a server may name whom it likes. */
function goesAnywhere(field: keyof AuthConfig): string {
  return `\`${field}\` would else go to whichever authorization server the server names`;
}
