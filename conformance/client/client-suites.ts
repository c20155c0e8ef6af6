/** Scenarios of one version of the official runner for clients, and how many checks have to pass in them. */
export interface ClientSuite {
  readonly title: string;
  readonly version: string;
  /** The revision of the protocol the runner's servers speak, where it has a choice and one is wanted. */
  readonly revision?: string;
  readonly scenarios: readonly string[];
  /** Scenarios that have to fail, and why. */
  readonly expectedFailures?: Readonly<Record<string, string>>;
  readonly atLeast: number;
}

const ofSessions = ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"];

const ofToday = [
  "tools_call",
  "request-metadata",
  "sep-2322-client-request-state",
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "json-schema-ref-no-deref",
  "json-schema-2020-12-preservation",
];

/** Signing in, as both versions of the runner have it. */
const signIn = [
  "metadata-default",
  "metadata-var1",
  "metadata-var2",
  "metadata-var3",
  "basic-cimd",
  "scope-from-www-authenticate",
  "scope-from-scopes-supported",
  "scope-omitted-when-undefined",
  "scope-step-up",
  "scope-retry-limit",
  "token-endpoint-auth-basic",
  "token-endpoint-auth-post",
  "token-endpoint-auth-none",
  "pre-registration",
  "2025-03-26-oauth-metadata-backcompat",
  "2025-03-26-oauth-endpoint-fallback",
  "resource-mismatch",
  "offline-access-scope",
  "offline-access-not-supported",
  "client-credentials-jwt",
  "client-credentials-basic",
].map((name) => `auth/${name}`);

const newSignIn = [
  "authorization-server-migration",
  "iss-supported",
  "iss-not-advertised",
  "iss-supported-missing",
  "iss-wrong-issuer",
  "iss-unexpected",
  "iss-normalized",
  "metadata-issuer-mismatch",
  "enterprise-managed-authorization",
  "dpop",
  "dpop-nonce",
  "wif-jwt-bearer",
].map((name) => `auth/${name}`);

/** Every scenario there is, but for those of the skills extension, which skip whoever does not have it. */
export const clientSuites: readonly ClientSuite[] = [
  {
    title: "0.1.16",
    version: "0.1.16",
    scenarios: [...ofSessions, ...signIn, "auth/cross-app-access-complete-flow"],
    expectedFailures: {
      "auth/2025-03-26-oauth-metadata-backcompat":
        "Its server publishes another issuer than its address, which RFC 8414 § 3.3 has a client refuse. 0.2 mended it.",
    },
    atLeast: 302,
  },
  {
    title: "0.2",
    version: "0.2.0-alpha.12",
    scenarios: [...new Set([...ofSessions, ...ofToday, ...signIn, ...newSignIn])],
    atLeast: 522,
  },
  {
    title: "0.2 2025-11-25",
    version: "0.2.0-alpha.12",
    revision: "2025-11-25",
    scenarios: [...ofSessions, "json-schema-2020-12-preservation"],
    atLeast: 20,
  },
  {
    title: "0.2 2026-07-28",
    version: "0.2.0-alpha.12",
    revision: "2026-07-28",
    scenarios: ofToday,
    atLeast: 66,
  },
];
