import { expect, test } from "vitest";
import { type AuthConfig, checkAuthConfig } from "./auth-config.ts";

const idp = { issuer: "https://idp.example", clientId: "a", idTokenFile: "token" };

test.each<[string, AuthConfig]>([
  ["nothing", {}],
  ["a client with a secret", { clientId: "a", clientSecret: "b" }],
  ["a client that signs in as itself", { grant: "client-credentials", clientId: "a", privateKeyFile: "key.pem" }],
  [
    "a client that signs in as itself with a secret",
    { grant: "client-credentials", clientId: "a", clientSecret: "b", authorizationServerUrl: "https://as.example" },
  ],
  ["a workload", { grant: "workload", assertionFile: "token", authorizationServerUrl: "https://as.example" }],
  ["an organisation", { grant: "enterprise", clientId: "a", idp }],
  ["a registration with a token", { initialAccessToken: "$TOKEN", authorizationServerUrl: "https://as.example" }],
  ["a secret that signs", { clientId: "a", clientSecret: "b", signingAlgorithm: "HS256" }],
  ["a document", { clientMetadataUrl: "https://example.com/clawport.json" }],
])("%s is valid", (_, auth) => {
  expect(checkAuthConfig(auth)).toEqual([]);
});

test.each<[AuthConfig, string, string]>([
  [{ authorizationServerUrl: "http://auth.example" }, "auth.authorizationServerUrl", "https://"],
  [{ clientMetadataUrl: "http://example.com/client.json" }, "auth.clientMetadataUrl", "https"],
  [{ clientMetadataUrl: "https://example.com/" }, "auth.clientMetadataUrl", "document"],
  [{ redirectPort: 1, redirectUri: "https://example.com/back" }, "auth.redirectPort", "keep one"],
  [{ grant: "client-credentials", privateKeyFile: "a" }, "auth", "clientId"],
  [{ grant: "client-credentials", clientId: "a", clientSecret: "b" }, "auth", "authorizationServerUrl"],
  [{ grant: "client-credentials", clientId: "a" }, "auth", "privateKeyFile"],
  [{ grant: "workload", authorizationServerUrl: "https://as.example" }, "auth", "assertionFile"],
  [{ grant: "workload", assertionFile: "token" }, "auth", "authorizationServerUrl"],
  [{ grant: "enterprise", clientId: "a", clientSecret: "b", idp }, "auth", "authorizationServerUrl"],
  [{ grant: "enterprise", clientId: "a" }, "auth", "idp"],
  [{ initialAccessToken: "$TOKEN" }, "auth", "authorizationServerUrl"],
  [{ clientId: "a", signingAlgorithm: "HS256" }, "auth", "clientSecret"],
  [
    { grant: "enterprise", clientId: "a", idp: { ...idp, issuer: "http://idp.example" } },
    "auth.idp.issuer",
    "https://",
  ],
])("%j is reported at %s", (auth, path, message) => {
  const findings = checkAuthConfig(auth);
  expect(findings.map((found) => found.path.join("."))).toEqual([path]);
  expect(findings[0]?.message).toContain(message);
});
