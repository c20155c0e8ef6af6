import { checkServer } from "../../../core/config/check-servers.ts";
import { checkValue } from "../../../core/config/check-value.ts";
import { formatPath } from "../../../core/config/config-path.ts";
import { serverSchema, type ServerConfig } from "../../../core/config/server-schema.ts";
import { isRecord } from "../../../core/is-record.ts";
import { convertCommand } from "./convert-command.ts";
import { convertRemote } from "./convert-remote.ts";
import type { Dialect } from "./dialects.ts";
import { createFields, type Fields } from "./fields.ts";
import { noteSecrets } from "./note-secrets.ts";
import type { ImportedServer, Skipped, Surroundings, Taken } from "./reading.ts";
import { createRemarks, type Remarks } from "./remarks.ts";

/** Words for what only describes a server, or is told by its other fields. */
const plain = /^(?:type|transport|name|title|description|gallery|version|dev|tags|icon|\$.*)$/;
const spoken = /^(?:stdio|local|remote|https?|sse|(?:streamable|http)[-_]?(?:http|stream)?)$/i;

/** One entry of another client's file. Its fields go by the names that any of the clients uses for them. */
export function convertServer(name: string, entry: unknown, dialect: Dialect, around: Surroundings): Taken | Skipped {
  if (!isRecord(entry)) return { name, reason: "is not an object" };
  const remarks = createRemarks();
  const fields = createFields(entry, (text) => dialect(text, around, remarks), remarks);
  const server = convertFields(fields, around, remarks);
  const reason = remarks.refusal ?? (server === undefined ? "has neither a command nor an address" : judge(server));
  if (server === undefined || reason !== undefined) return { name, reason: reason ?? "" };
  const left = fields.unread().filter((field) => !plain.test(field));
  if (left.length > 0) remarks.note(`left out: ${left.join(", ")}`);
  noteSecrets(name, server, remarks);
  return { name, server, notes: remarks.notes };
}

function convertFields(fields: Fields, around: Surroundings, remarks: Remarks): ImportedServer | undefined {
  const kind = fields.text("type", "transport") ?? "";
  if (kind !== "" && !spoken.test(kind)) remarks.refuse(`is reached by ${kind}, which Clawport does not speak`);
  const provider = fields.text("authProviderType") ?? "dynamic_discovery";
  if (provider !== "dynamic_discovery") remarks.refuse(`signs in with ${provider}, which Clawport can't`);
  const command = convertCommand(fields, around, remarks);
  const remote = convertRemote(fields, remarks);
  const target = /^(?:stdio|local|)$/.test(kind) ? (command ?? remote) : (remote ?? command);
  return target === undefined ? undefined : { ...convertSwitch(fields), ...target, ...convertRest(fields) };
}

function convertSwitch(fields: Fields): Pick<ImportedServer, "enabled"> {
  const isOff = fields.flag("enabled") === false || fields.flag("disabled") === true;
  return isOff ? { enabled: false } : {};
}

function convertRest(fields: Fields): Partial<ImportedServer> {
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

/** Why our configuration would refuse it. An address that is still a reference can't be judged yet. */
function judge(server: ImportedServer): string | undefined {
  const { url, ...rest } = server;
  const isOpen = url !== undefined && /\$[A-Za-z_{]/.test(url);
  const transport = url === undefined ? "stdio" : "http";
  const whole = { ...rest, ...(url !== undefined && { url: isOpen ? "https://unknown.invalid/" : url }), transport };
  const { value, findings } = checkValue(serverSchema, whole, new Set());
  const [finding] = findings.length > 0 ? findings : checkServer(value as ServerConfig);
  return finding === undefined ? undefined : `${formatPath(finding.path)} ${finding.message}`.trim();
}
