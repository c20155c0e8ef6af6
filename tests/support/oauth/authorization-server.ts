import { createServer } from "node:http";
import { Provider } from "oidc-provider";
import { listenHere } from "../listen-here.ts";

export interface AuthorizationServerOptions {
  /** How long access tokens are good; an hour unless given. */
  readonly accessSeconds?: (() => number) | undefined;
  /** Registered by hand. */
  readonly clients?: readonly object[] | undefined;
  /** Client metadata documents by their address, as if they were hosted there. */
  readonly documents?: Readonly<Record<string, object>> | undefined;
  /** Whether clients may register themselves; they may unless given. */
  readonly registration?: boolean | undefined;
  /** Ways to authenticate a client; the usual ones unless given. */
  readonly clientAuthMethods?: readonly string[] | undefined;
  /** Whether a sign-in must begin with a pushed request (RFC 9126). */
  readonly requirePushedRequests?: boolean | undefined;
  /** Only those who show it may register clients. */
  readonly initialAccessToken?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** A real authorization server, with its own pages for login and consent. */
export interface AuthorizationServer extends AsyncDisposable {
  readonly issuer: string;
  /** `grant_type` of every request to the token endpoint that was granted, in order. */
  readonly grants: string[];
  /** What went wrong at it, in order. */
  readonly errors: string[];
  /** Paths that were asked for, in order. */
  readonly paths: string[];
  /** Every code, verifier, token and secret that it took or gave. */
  readonly secrets: ReadonlySet<string>;
  /** Takes back everything that was ever granted. */
  revokeAll(): Promise<void>;
  /** Makes an access token worth nothing, as if its time were over. */
  expire(token: string): Promise<void>;
  find(
    token: string,
  ): Promise<{ clientId: string; scopes: string[]; audience: string[]; expiresAt: number } | undefined>;
}

export async function startAuthorizationServer(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const server = createServer();
  const listening = await listenHere(server);
  const issuer = listening.origin;
  const provider = quietly(() => new Provider(issuer, configure(options)));
  const grants: string[] = [];
  const errors: string[] = [];
  const paths: string[] = [];
  provider.on("grant.success", (ctx) => grants.push(String(ctx.oidc.params?.["grant_type"])));
  for (const event of ["grant.error", "authorization.error", "registration_create.error", "server_error"] as const)
    provider.on(event, (_, error) =>
      errors.push(`${event}: ${error.message} ${String((error as { error_description?: string }).error_description)}`),
    );
  const granted = new Set<string>();
  provider.on("access_token.saved", ({ grantId }) => void (grantId && granted.add(grantId)));
  const revoke = async (grantId: string): Promise<void> => {
    for (const model of ["AccessToken", "RefreshToken", "Grant"] as const)
      await provider[model].adapter.revokeByGrantId(grantId);
    await provider.Grant.adapter.destroy(grantId);
  };
  const secrets = new Set<string>();
  provider.use(async (ctx, next) => {
    await next();
    noteSecrets(secrets, ctx.oidc?.params, ctx.body);
  });
  const handle = provider.callback();
  server.on("request", (request, response) => {
    paths.push(request.url?.split("?")[0] ?? "");
    handle(request, response);
  });
  return {
    issuer,
    grants,
    errors,
    paths,
    secrets,
    async revokeAll() {
      await Promise.all([...granted].map((id) => revoke(id)));
    },
    async expire(token) {
      await (await provider.AccessToken.find(token))?.destroy();
    },
    async find(token) {
      const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
      if (!found?.isValid) return undefined;
      return {
        clientId: found.clientId ?? "",
        scopes: (found.scope ?? "").split(" "),
        audience: [found.aud ?? []].flat(),
        expiresAt: found.exp,
      };
    },
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}

const secretFields = [
  "code",
  "code_verifier",
  "access_token",
  "refresh_token",
  "id_token",
  "token",
  "device_code",
  "client_secret",
  "client_assertion",
  "registration_access_token",
];

function noteSecrets(secrets: Set<string>, ...sources: readonly unknown[]): void {
  for (const source of sources) {
    if (typeof source !== "object" || source === null) continue;
    for (const [name, value] of Object.entries(source))
      if (secretFields.includes(name) && typeof value === "string") secrets.add(value);
  }
}

const lasting = {
  AuthorizationCode: 60,
  DeviceCode: 600,
  Grant: 3600,
  Interaction: 3600,
  RefreshToken: 3600,
  Session: 3600,
};

type PageContext = { body: string };

const devicePages = {
  userCodeInputSource: (ctx: PageContext, form: string) => void (ctx.body = form),
  userCodeConfirmSource: (ctx: PageContext, form: string) => void (ctx.body = form),
  successSource: (ctx: PageContext) => void (ctx.body = "Done."),
};

/** It warns about everything that makes it fit for tests. */
function quietly<T>(work: () => T): T {
  const { warn } = console;
  console.warn = () => {};
  try {
    return work();
  } finally {
    console.warn = warn;
  }
}

function configure({
  accessSeconds = () => 3600,
  clients = [],
  documents = {},
  registration = true,
  clientAuthMethods = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
  requirePushedRequests,
  initialAccessToken,
  scopes = ["mcp:read", "mcp:write"],
}: AuthorizationServerOptions): object {
  return {
    clients,
    scopes: ["openid", "offline_access", ...scopes],
    cookies: { keys: ["only for tests"] },
    // Given so that it does not ask for them on the console.
    ttl: { ...lasting, AccessToken: accessSeconds, ClientCredentials: accessSeconds },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    pkce: { required: () => true },
    rotateRefreshToken: () => true,
    issueRefreshToken: async (_: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed("refresh_token"),
    clientAuthMethods,
    enabledJWA: { clientAuthSigningAlgValues: signingAlgorithms(clientAuthMethods) },
    fetch: async (url: string | URL) => {
      const document = documents[String(url)];
      return document === undefined ? new Response("", { status: 404 }) : Response.json(document);
    },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: registration, ...(initialAccessToken !== undefined && { initialAccessToken }) },
      pushedAuthorizationRequests: {
        enabled: requirePushedRequests !== undefined,
        requirePushedAuthorizationRequests: requirePushedRequests === true,
      },
      revocation: { enabled: true, allowedPolicy: () => true },
      deviceFlow: { enabled: true, ...devicePages },
      clientCredentials: { enabled: true },
      dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 1), requireNonce: () => false },
      clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: "mcp:read mcp:write",
          audience: resource,
          accessTokenFormat: "opaque",
        }),
      },
    },
  };
}

function signingAlgorithms(methods: readonly string[]): readonly string[] {
  return [
    ...(methods.includes("private_key_jwt") ? ["ES256", "Ed25519"] : []),
    ...(methods.includes("client_secret_jwt") ? ["HS256"] : []),
  ];
}
