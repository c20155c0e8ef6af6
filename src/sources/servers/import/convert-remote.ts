import { judgeHeaders } from "../../../core/config/judge-headers.ts";
import { isName, reference } from "./dialects.ts";
import type { Fields } from "./fields.ts";
import type { ImportedServer } from "./reading.ts";
import type { Remarks } from "./remarks.ts";

/** The part of a server that is reached at an address; nothing when the entry has no address. */
export function convertRemote(fields: Fields, remarks: Remarks): ImportedServer | undefined {
  const url = fields.text("httpUrl", "url", "serverUrl", "server_url", "baseUrl", "base_url");
  const headers = convertHeaders(fields, remarks);
  const apiKey = convertKey(fields);
  const cert = fields.text("clientCert");
  const key = fields.text("clientKey");
  const auth = convertAuth(fields, remarks);
  if (url === undefined || url === "") return undefined;
  if (fields.flag("sslVerify") === false) {
    remarks.note("its certificate will be checked; if it is your own, name its authority under tls.ca");
  }
  if (fields.text("headersHelper") !== undefined) {
    remarks.note("its headersHelper is not run; write the headers themselves, with $NAME for what is secret");
  }
  return {
    url,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(apiKey !== undefined && { apiKey }),
    ...(cert !== undefined && key !== undefined && { tls: { cert, key } }),
    ...(auth !== undefined && { auth }),
  };
}

function convertHeaders(fields: Fields, remarks: Remarks): Record<string, string> {
  const fromEnv = Object.entries(fields.record("env_http_headers") ?? {});
  const all = {
    ...fields.record("headers", "http_headers"),
    ...Object.fromEntries(fromEnv.filter(([, name]) => isName(name)).map(([key, name]) => [key, reference(name)])),
  };
  const own = judgeHeaders(all).filter(({ message }) => message.includes("by Clawport itself"));
  for (const { name } of own) {
    delete all[name];
    remarks.note(`the header ${name} was left out: Clawport sets it itself`);
  }
  return all;
}

function convertKey(fields: Fields): string | undefined {
  const name = fields.text("bearer_token_env_var", "bearerTokenEnv", "bearer_token_env");
  const token = fields.text("bearerToken", "bearer_token");
  return name !== undefined && isName(name) ? reference(name) : token;
}

function convertAuth(fields: Fields, remarks: Remarks): ImportedServer["auth"] {
  const [oauth, auth] = [fields.inside("oauth"), fields.inside("auth")];
  const inside = oauth ?? auth;
  const clientId = inside?.text("clientId", "client_id", "CLIENT_ID") ?? fields.text("oauthClientId");
  const secretName = fields.text("oauthClientSecretEnv");
  const clientSecret =
    secretName !== undefined && isName(secretName)
      ? reference(secretName)
      : (inside?.text("clientSecret", "client_secret", "CLIENT_SECRET") ?? fields.text("oauthClientSecret"));
  const scopes = (inside?.texts("scopes", "scope") ?? fields.texts("scopes", "oauthScope") ?? []).flatMap(splitScopes);
  const authorizationServerUrl = issuerOf(inside?.text("authServerMetadataUrl"), remarks);
  const settings = {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(authorizationServerUrl !== undefined && { authorizationServerUrl }),
    ...(scopes.length > 0 && { scopes }),
  };
  return Object.keys(settings).length > 0 ? settings : undefined;
}

function splitScopes(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

/** RFC 8414 §3.1: the metadata of `https://a/b` stand at `https://a/.well-known/oauth-authorization-server/b`. */
function issuerOf(metadataUrl: string | undefined, remarks: Remarks): string | undefined {
  if (metadataUrl === undefined) return undefined;
  const url = URL.parse(metadataUrl);
  const known = /^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(\/.*)?$/.exec(
    url?.pathname ?? "",
  );
  if (url !== null && known !== null) return url.origin + (known[1] ?? "");
  remarks.note("its authServerMetadataUrl was left out; if signing in fails, set auth.authorizationServerUrl");
  return undefined;
}
