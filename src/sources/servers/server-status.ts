import { basename } from "node:path";
import type { ScreenReport } from "../../catalog/guard/screen-source.ts";
import { redactCommandLine } from "../../core/secrets/redact-command-line.ts";
import { mask } from "../../core/secrets/redact.ts";
import { looksRandom } from "../../core/secrets/secret-parts.ts";
import { redactKnown } from "../../core/secrets/redact-known.ts";
import { type ConnectionState, isOpen } from "./connection/connection-state.ts";
import { hasStaticCredentials, type HttpTarget, type ServerDefinition, type StdioTarget } from "./definition.ts";
import { serverSecrets } from "./server-secrets.ts";
import type { SharedServer } from "./shared-servers.ts";

/** The status of a server, for people and programs. Holds no secret. */
export interface ServerStatus {
  readonly name: string;
  /** What its tools' names begin with, if that is not the server's name. */
  readonly toolPrefix?: string;
  /** `https://…`, or `stdio://command arguments`. */
  readonly address: string;
  readonly state: string;
  readonly reason?: string;
  readonly pid?: number;
  readonly auth: "API Key" | "OAuth" | "None";
  /** When the token in use expires; it is renewed before that if possible. */
  readonly signedInUntil?: string;
  readonly tools: number;
  readonly resources: number;
  readonly prompts: number;
  readonly sessionId?: string;
  readonly era?: string;
  readonly version?: string;
  readonly serverInfo?: unknown;
  readonly lastHeartbeat?: string;
  readonly nextAttempt?: string;
  readonly lastError?: string;
  /** When one of its tools was called last, as far as that is known. */
  readonly lastUse?: string;
  /** What a command can't reach, or why nothing keeps it from anything. */
  readonly sandbox?: string;
  /** What was noticed about its lists; absent if nothing was. */
  readonly lists?: ScreenReport;
}

export function serverStatusOf(
  definition: ServerDefinition,
  { connection, lists, agreement: lastAgreement }: Pick<SharedServer, "connection" | "lists" | "agreement">,
  tools: number,
): ServerStatus {
  const state = withProblem(connection.state(), lists.problem());
  const link = isOpen(state) ? connection.link() : undefined;
  const agreement = state.kind === "sleeping" ? lastAgreement() : link?.agreement;
  const authState = connection.auth?.state();
  return {
    ...nameFieldsOf(definition),
    address: serverAddress(definition),
    state: state.kind,
    ...("reason" in state ? { reason: state.reason } : {}),
    ...optional("pid", link?.pid()),
    auth: authState ? "OAuth" : authMethodOf(definition),
    ...optional("signedInUntil", isoTime(authState?.expiresAt)),
    tools,
    resources: lists.current().resources.length,
    prompts: lists.current().prompts.length,
    ...optional("sessionId", link?.sessionId()),
    ...optional("era", agreement?.era),
    ...optional("version", agreement?.version),
    ...optional("serverInfo", agreement?.serverInfo),
    ...optional("lastHeartbeat", isoTime(connection.lastHeartbeat())),
    ...optional("nextAttempt", state.kind === "reconnecting" ? isoTime(state.nextAt) : undefined),
    ...optional("lastError", connection.lastError),
  };
}

/** A server whose lists are unknown does not run well, although it answers. */
function withProblem(state: ConnectionState, problem: string | undefined): ConnectionState {
  if (state.kind !== "ready" || problem === undefined) return state;
  return { kind: "degraded", since: state.since, reason: `Its lists could not be read: ${problem}` };
}

export function nameFieldsOf({ name, prefix }: ServerDefinition): Pick<ServerStatus, "name" | "toolPrefix"> {
  return prefix === name ? { name } : { name, toolPrefix: prefix };
}

export function authMethodOf({ transport }: ServerDefinition): ServerStatus["auth"] {
  if (transport.kind === "stdio") return "None";
  if (hasStaticCredentials(transport)) return "API Key";
  return transport.auth === undefined ? "None" : "OAuth";
}

/** The address without anything that the settings took from the environment, or that may be a secret. */
export function serverAddress(definition: ServerDefinition): string {
  const { transport, secrets } = definition;
  const shown = transport.kind === "stdio" ? { ...transport, args: maskWords(transport.args, secrets) } : transport;
  return redactKnown(addressOf(shown), serverSecrets(definition));
}

/** Words that are nothing but a value from the environment, however short: elsewhere a short one may be any word. */
function maskWords(words: readonly string[], secrets: ServerDefinition["secrets"]): readonly string[] {
  const values = secrets.map((secret) => secret.reveal()).filter((value) => value !== "");
  return words.map((word) => {
    const found = values.find((value) => word === value || word.endsWith(`=${value}`));
    return found === undefined ? word : word.slice(0, word.length - found.length) + mask;
  });
}

/** Launchers whose first word is the public name of a program. */
const launchers = new Set(["npx", "bunx", "pnpx", "uvx"]);
const packageName = /^@?[a-z\d][\w.-]*(?:\/[\w.-]+)?(?:@[\w.^~-]+)?$/i;

/** The address for callers that may not see a server's arguments: the program, and the package that a launcher runs. */
export function withoutArguments(address: string): string {
  const [, line] = /^stdio:\/\/(.*)$/s.exec(address) ?? [];
  if (line === undefined) return address;
  const [command = "", ...words] = line.split(" ");
  const program = basename(command);
  const first = words.find((word) => word !== "-y" && word !== "--yes") ?? "";
  const isPackage = launchers.has(program) && packageName.test(first) && !looksRandom(first);
  return `stdio://${program}${isPackage ? ` ${first}` : ""}`;
}

export function addressOf(target: Pick<HttpTarget, "url"> | Pick<StdioTarget, "command" | "args">): string {
  // A key may be in the query or before the host.
  if ("url" in target) return `${target.url.origin}${target.url.pathname}`;
  return `stdio://${redactCommandLine([target.command, ...target.args])}`;
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: V });
}

/** Milliseconds since the epoch as an ISO 8601 text. */
export function isoTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
