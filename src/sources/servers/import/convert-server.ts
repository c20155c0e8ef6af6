import { checkValue } from "../../../core/config/check-value.ts";
import { formatPath } from "../../../core/config/config-path.ts";
import { checkServerConfig, type ServerConfig, serverSchema } from "../../../core/config/server-config.ts";
import { isRecord } from "../../../core/is-record.ts";
import { isSecretArgument } from "../../../core/secrets/redact-command-line.ts";
import { redact } from "../../../core/secrets/redact.ts";
import { convertCommand, convertRemote } from "./convert-target.ts";
import { type Dialect, isVariableName, toVariableName } from "./dialects.ts";
import { createEntryFields, type EntryFields } from "./entry-fields.ts";
import {
  type ClientFileContext,
  type ConversionNotes,
  createConversionNotes,
  type ImportedEntry,
  type ImportedServer,
  type SkippedEntry,
} from "./imported-server.ts";
import { isSameJson } from "../../../core/is-same-json.ts";

/** Fields that only describe a server, or repeat what other fields say. */
const descriptiveFields = /^(?:type|transport|name|title|description|gallery|version|dev|tags|icon|\$.*)$/;
const supportedTransports = /^(?:stdio|local|remote|https?|sse|(?:streamable|http)[-_]?(?:http|stream)?)$/i;

/** Converts one entry of another client's file. Each field is read under the names that any of the clients uses. */
export function convertServer(
  name: string,
  entry: unknown,
  dialect: Dialect,
  context: ClientFileContext,
): ImportedEntry | SkippedEntry {
  if (!isRecord(entry)) return { name, reason: "is not an object" };
  const notes = createConversionNotes();
  const fields = createEntryFields(entry, (text) => dialect(text, context, notes), notes);
  const server = convertFields(fields, context, notes);
  const reason = notes.refusal ?? (server === undefined ? "has neither a command nor a URL" : judgeImported(server));
  if (server === undefined || reason !== undefined) return { name, reason: reason ?? "" };
  const unread = fields.unread().filter((field) => !descriptiveFields.test(field));
  if (unread.length > 0) notes.add(`left out: ${unread.join(", ")}`);
  noteSecrets(name, server, notes);
  return { name, server, notes: notes.all };
}

/** Takes an entry that has our own field names already. */
export function takeServer(name: string, entry: unknown): ImportedEntry | SkippedEntry {
  if (!isRecord(entry)) return { name, reason: "is not an object" };
  const server: ImportedServer = entry;
  const reason = judgeImported(server);
  if (reason !== undefined) return { name, reason };
  const notes = createConversionNotes();
  noteSecrets(name, server, notes);
  return { name, server, notes: notes.all };
}

function convertFields(
  fields: EntryFields,
  context: ClientFileContext,
  notes: ConversionNotes,
): ImportedServer | undefined {
  const kind = fields.text("type", "transport") ?? "";
  if (kind !== "" && !supportedTransports.test(kind))
    notes.refuse(`uses the transport ${kind}, which Clawport does not support`);
  const provider = fields.text("authProviderType") ?? "dynamic_discovery";
  if (provider !== "dynamic_discovery") notes.refuse(`signs in with ${provider}, which Clawport does not support`);
  const command = convertCommand(fields, context, notes);
  const remote = convertRemote(fields, notes);
  const target = /^(?:stdio|local|)$/.test(kind) ? (command ?? remote) : (remote ?? command);
  return target === undefined ? undefined : { ...convertSwitch(fields), ...target, ...convertRest(fields) };
}

function convertSwitch(fields: EntryFields): Pick<ImportedServer, "enabled"> {
  const isOff = fields.flag("enabled") === false || fields.flag("disabled") === true;
  return isOff ? { enabled: false } : {};
}

function convertRest(fields: EntryFields): Partial<ImportedServer> {
  const filter = fields.inside("toolFilter");
  const include =
    filter?.texts("include") ?? fields.texts("includeTools", "enabled_tools", "allowedTools", "allowed_tools");
  const exclude =
    filter?.texts("exclude") ??
    fields.texts("excludeTools", "disabled_tools", "disabledTools", "blockedTools", "blocked_tools");
  const tools = { ...(include && { include }), ...(exclude && exclude.length > 0 && { exclude }) };
  const connectTimeoutMs =
    fields.number("connectionTimeoutMs", "startup_timeout_ms") ?? inMs(fields.number("startup_timeout_sec"));
  const requestTimeoutMs = fields.number("requestTimeoutMs", "timeout") ?? inMs(fields.number("tool_timeout_sec"));
  return {
    ...(Object.keys(tools).length > 0 && { tools }),
    ...(connectTimeoutMs !== undefined && connectTimeoutMs > 0 && { connectTimeoutMs }),
    ...(requestTimeoutMs !== undefined && requestTimeoutMs > 0 && { requestTimeoutMs }),
  };
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.ceil(seconds * 1000);
}

/** Why our configuration would refuse it. A URL that holds a reference can't be judged yet. */
function judgeImported(server: ImportedServer): string | undefined {
  const { url, ...rest } = server;
  const hasReference = url !== undefined && /\$[A-Za-z_{]/.test(url);
  const transport = url === undefined ? "stdio" : "http";
  const complete = {
    ...rest,
    ...(url !== undefined && { url: hasReference ? "https://unknown.invalid/" : url }),
    transport,
  };
  const { value, findings } = checkValue(serverSchema, complete, new Set());
  const [finding] = findings.length > 0 ? findings : checkServerConfig(value as ServerConfig);
  return finding === undefined ? undefined : `${formatPath(finding.path)} ${finding.message}`.trim();
}

/** Notes which texts hold a secret in plain text, and which environment variable should hold it instead. */
function noteSecrets(server: string, imported: ImportedServer, notes: ConversionNotes): void {
  const say = (field: string, variable: string): void => {
    notes.add(`${field} holds a secret in plain text; use $${variable} from the environment instead`);
  };
  for (const [key, value] of Object.entries(imported.env ?? {})) {
    if (isSecret(key, value)) say(`env.${key}`, isVariableName(key) ? key : toVariableName(key));
  }
  for (const [key, value] of Object.entries(imported.headers ?? {})) {
    if (isSecret(key, value)) say(`headers.${key}`, toVariableName(`${server}_${key}`));
  }
  if (isSecret("apiKey", imported.apiKey ?? "")) say("apiKey", toVariableName(`${server}_API_KEY`));
  if (isSecret("clientSecret", imported.auth?.clientSecret ?? "")) {
    say("auth.clientSecret", toVariableName(`${server}_CLIENT_SECRET`));
  }
  if (isSecret("url", imported.url ?? "")) say("url", toVariableName(`${server}_URL`));
  const { args = [] } = imported;
  for (const [index, arg] of args.entries()) {
    if (isSecret("argument", arg) || (isSecretArgument(args[index - 1], arg) && !isFromEnvironment(arg)))
      say(`args[${index}]`, toVariableName(`${server}_SECRET`));
  }
}

function isFromEnvironment(value: string): boolean {
  return /(?<!\$)(?:\$\$)*\$\{?[A-Za-z_]/.test(value);
}

/** Whether the log would mask it, by its name or its shape. A reference to the environment is not a secret. */
function isSecret(key: string, value: string): boolean {
  if (value === "" || isFromEnvironment(value)) return false;
  const shown = redact({ [key]: value });
  return !isSameJson(shown, { [key]: value });
}
