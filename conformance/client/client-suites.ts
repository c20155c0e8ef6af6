/** Scenarios of one version of the official runner for clients, and how many checks must pass. */
export interface ClientSuite {
  readonly title: string;
  readonly version: string;
  /** The protocol version of the runner's servers, if it must be chosen. */
  readonly revision?: string;
  readonly scenarios: readonly string[];
  /** Scenarios that must fail, and why. */
  readonly expectedFailures?: Readonly<Record<string, string>>;
  readonly atLeast: number;
}

const legacyScenarios = ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"];

const modernScenarios = [
  "tools_call",
  "request-metadata",
  "sep-2322-client-request-state",
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "json-schema-ref-no-deref",
  "json-schema-2020-12-preservation",
];

/** Sign-in scenarios that both versions of the runner have. */
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

const skills = ["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"].map(
  (name) => `sep-2640-client-${name}`,
);

/** Every scenario. */
export const clientSuites: readonly ClientSuite[] = [
  {
    title: "0.1.16",
    version: "0.1.16",
    scenarios: [...legacyScenarios, ...signIn, "auth/cross-app-access-complete-flow"],
    expectedFailures: {
      "auth/2025-03-26-oauth-metadata-backcompat":
        "Its server publishes an issuer that differs from its address, which RFC 8414 § 3.3 tells a client to refuse. Fixed in 0.2.",
    },
    atLeast: 302,
  },
  {
    title: "0.2",
    version: "0.2.0-alpha.12",
    scenarios: [...new Set([...legacyScenarios, ...modernScenarios, ...signIn, ...newSignIn, ...skills])],
    atLeast: 526,
  },
  {
    title: "0.2 2025-11-25",
    version: "0.2.0-alpha.12",
    revision: "2025-11-25",
    scenarios: [...legacyScenarios, "json-schema-2020-12-preservation"],
    atLeast: 20,
  },
  {
    title: "0.2 2026-07-28",
    version: "0.2.0-alpha.12",
    revision: "2026-07-28",
    scenarios: modernScenarios,
    atLeast: 66,
  },
];
