import { isAbsolute, join, resolve } from "node:path";
import { isReservedHeader } from "../../../core/config/server-config.ts";
import { envReference, escapeDollars, isVariableName } from "./dialects.ts";
import type { EntryFields } from "./entry-fields.ts";
import type { ClientFileContext, ConversionNotes, ImportedServer } from "./imported-server.ts";

/** A server that is started as a command; undefined if the entry has no command. */
export function convertCommand(
  fields: EntryFields,
  context: ClientFileContext,
  notes: ConversionNotes,
): ImportedServer | undefined {
  const [command, ...first] = fields.texts("command", "executable") ?? [];
  const args = [...first, ...(fields.texts("args") ?? [])];
  const given = fields.text("cwd", "workingDirectory");
  const env = { ...forwardedVariables(fields), ...fields.record("env") };
  const envFile = fields.text("envFile");
  if (command === undefined || command === "") return undefined;
  if (envFile !== undefined)
    notes.add(`its envFile ${envFile} is not read; put the variables that the server needs into env`);
  noteBridge([command, ...args], notes);
  const cwd = given === undefined ? neededFolder(command, args, context) : toAbsolute(given, context);
  return {
    command: expandHome(command, context),
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(cwd !== undefined && { cwd }),
  };
}

/** Variables that are passed on if they are set; one that is not set must not prevent the start. */
function forwardedVariables(fields: EntryFields): Record<string, string> {
  const names = fields.texts("env_vars") ?? [];
  return Object.fromEntries(names.filter(isVariableName).map((name) => [name, `\${${name}:-}`]));
}

/** The folder of the project, if the command can't be found without it. */
function neededFolder(command: string, args: readonly string[], context: ClientFileContext): string | undefined {
  const isRelative = /[/\\]/.test(command) && !isAbsolute(command) && !/^[~$]/.test(command);
  const depends = isRelative || args.some((arg) => /^\.{1,2}(?:[/\\]|$)/.test(arg));
  return depends && context.scope === "project" ? escapeDollars(context.folder) : undefined;
}

function toAbsolute(path: string, context: ClientFileContext): string {
  const expanded = expandHome(path, context);
  const isComplete = isAbsolute(expanded) || expanded.startsWith("$");
  return isComplete ? expanded : escapeDollars(resolve(context.folder, expanded));
}

function expandHome(path: string, { homedir }: ClientFileContext): string {
  return /^~(?=[/\\])/.test(path) ? join(escapeDollars(homedir), path.slice(2)) : path;
}

/** Bridges are for clients that can't connect to a server over HTTP themselves. */
function noteBridge(words: readonly string[], notes: ConversionNotes): void {
  const isBridge = words.some((word) => /^(?:mcp-remote|supergateway)(?:@.*)?$/.test(word));
  const url = words.find((word) => word.startsWith("https://"));
  if (isBridge && url !== undefined)
    notes.add("is a bridge; Clawport can connect to the server directly, by its `url`");
}

/** A server that is reached at a URL; undefined if the entry has no URL. */
export function convertRemote(fields: EntryFields, notes: ConversionNotes): ImportedServer | undefined {
  const url = fields.text("httpUrl", "url", "serverUrl", "server_url", "baseUrl", "base_url");
  const headers = convertHeaders(fields, notes);
  const apiKey = convertKey(fields);
  const cert = fields.text("clientCert");
  const key = fields.text("clientKey");
  const auth = convertAuth(fields, notes);
  if (url === undefined || url === "") return undefined;
  if (fields.flag("sslVerify") === false) {
    notes.add("its certificate will be checked; if it is self-signed, set tls.ca");
  }
  if (fields.text("headersHelper") !== undefined) {
    notes.add("its headersHelper is not run; write the headers themselves, with $NAME for secrets");
  }
  return {
    url,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(apiKey !== undefined && { apiKey }),
    ...(cert !== undefined && key !== undefined && { tls: { cert, key } }),
    ...(auth !== undefined && { auth }),
  };
}

function convertHeaders(fields: EntryFields, notes: ConversionNotes): Record<string, string> {
  const fromEnv = Object.entries(fields.record("env_http_headers") ?? {});
  const headers = {
    ...fields.record("headers", "http_headers"),
    ...Object.fromEntries(
      fromEnv.filter(([, name]) => isVariableName(name)).map(([key, name]) => [key, envReference(name)]),
    ),
  };
  for (const name of Object.keys(headers).filter(isReservedHeader)) {
    delete headers[name];
    notes.add(`the header ${name} was left out: Clawport sets it itself`);
  }
  return headers;
}

function convertKey(fields: EntryFields): string | undefined {
  const name = fields.text("bearer_token_env_var", "bearerTokenEnv", "bearer_token_env");
  const token = fields.text("bearerToken", "bearer_token");
  return name !== undefined && isVariableName(name) ? envReference(name) : token;
}

function convertAuth(fields: EntryFields, notes: ConversionNotes): ImportedServer["auth"] {
  const [oauth, auth] = [fields.inside("oauth"), fields.inside("auth")];
  const inside = oauth ?? auth;
  const clientId = inside?.text("clientId", "client_id", "CLIENT_ID") ?? fields.text("oauthClientId");
  const secretName = fields.text("oauthClientSecretEnv");
  const clientSecret =
    secretName !== undefined && isVariableName(secretName)
      ? envReference(secretName)
      : (inside?.text("clientSecret", "client_secret", "CLIENT_SECRET") ?? fields.text("oauthClientSecret"));
  const scopes = (inside?.texts("scopes", "scope") ?? fields.texts("scopes", "oauthScope") ?? []).flatMap(splitScopes);
  const authorizationServerUrl = issuerOf(inside?.text("authServerMetadataUrl"), notes);
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

/** RFC 8414 § 3.1: the metadata of `https://a/b` is at `https://a/.well-known/oauth-authorization-server/b`. */
function issuerOf(metadataUrl: string | undefined, notes: ConversionNotes): string | undefined {
  if (metadataUrl === undefined) return undefined;
  const url = URL.parse(metadataUrl);
  const known = /^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(\/.*)?$/.exec(
    url?.pathname ?? "",
  );
  if (url !== null && known !== null) return url.origin + (known[1] ?? "");
  notes.add("its authServerMetadataUrl was left out; if signing in fails, set auth.authorizationServerUrl");
  return undefined;
}
