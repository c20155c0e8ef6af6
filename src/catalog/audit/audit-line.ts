import { hash } from "node:crypto";
import type { Caller } from "../caller.ts";

/** One call, as the guard saw it, without its result. */
export interface AuditEntry {
  /** When the call arrived, in milliseconds since the epoch. */
  readonly at: number;
  readonly caller: Caller;
  readonly source: string;
  readonly tool: string;
  readonly verdict: "allow" | "ask" | "deny";
  readonly why: string;
  /** From its arrival to its end. */
  readonly ms: number;
  /** How much of that it was judged and waited for approval. */
  readonly waited?: number | undefined;
  /** `ok`, `tool-error` (the tool reported an error), or the code of the fault. */
  readonly outcome: string;
  /** Roughly, in characters of JSON. */
  readonly sizeIn: number;
  readonly sizeOut: number;
  /** With `audit.arguments`: masked and of bounded length. */
  readonly arguments?: string | undefined;
  /** The rules of screening that found something. */
  readonly findings?: string | undefined;
}

/** What is known of a call when it is sent to its source. */
export interface BegunCall extends Pick<AuditEntry, "at" | "caller" | "source" | "tool" | "verdict" | "why"> {
  /** The beginning of its line, once it was needed. */
  text?: string;
  /** Its number among the calls of this process, once it was written. */
  id?: number;
}

/** How a line ends whose call was under way when its process was killed. */
export const unfinished = "unfinished";

/** One line of the audit file, parsed. */
export interface AuditLine {
  readonly time: string;
  readonly door: string;
  readonly token?: string;
  readonly client?: string;
  readonly sender?: string;
  readonly agent?: string;
  /** The server that used the model during the caller's call. */
  readonly server?: string;
  /** The id of the caller's script that made the call. */
  readonly script?: string;
  /** The first 16 hexadecimal digits of the session key's SHA-256. */
  readonly session?: string;
  readonly source: string;
  readonly tool: string;
  readonly verdict: string;
  readonly why: string;
  readonly ms: number;
  readonly waited?: number;
  readonly outcome: string;
  readonly in: number;
  readonly out: number;
  readonly arguments?: string;
  /** The rules of screening that found something. */
  readonly findings?: string;
  /** With `audit.chain`: the hashes of the lines it follows, and its own. */
  readonly prev?: string;
  readonly hash?: string;
}

const maxTextLength = 200;

type LineStart = Omit<
  AuditLine,
  "ms" | "waited" | "outcome" | "in" | "out" | "arguments" | "findings" | "prev" | "hash"
>;

/** `begun` is the same call, whose beginning may have been formatted already. */
export function formatAuditLine(entry: AuditEntry, begun?: BegunCall): string {
  const ms = Math.round(entry.ms * 1000) / 1000;
  const waited = entry.waited === undefined || entry.waited < 1 ? "" : `"waited":${Math.round(entry.waited)},`;
  const args = entry.arguments === undefined ? "" : `,"arguments":${JSON.stringify(entry.arguments)}`;
  const found = entry.findings === undefined ? "" : `,"findings":${JSON.stringify(entry.findings)}`;
  const end = `${waited}"outcome":${JSON.stringify(entry.outcome)},"in":${entry.sizeIn},"out":${entry.sizeOut}${args}${found}}\n`;
  return `${begun?.text ?? formatStart(entry)}${lineEnd}${ms},${end}`;
}

/** What comes after the beginning of a line. It can't occur before: there the quotes of values are escaped. */
export const lineEnd = `,"ms":`;

/** The line of a call up to where it ends, which is not known yet. */
export function formatBegun(call: BegunCall): string {
  return (call.text ??= formatStart(call));
}

function formatStart(entry: BegunCall): string {
  const { caller } = entry;
  const line: { readonly [K in keyof LineStart]: LineStart[K] | undefined } = {
    time: timeText(Math.floor(entry.at)),
    door: caller.door,
    token: caller.token?.slice(0, maxTextLength),
    client: caller.client?.slice(0, maxTextLength),
    sender: (caller.sender ?? caller.senders?.join(" "))?.slice(0, maxTextLength),
    agent: caller.agent?.slice(0, maxTextLength),
    server: caller.server?.slice(0, maxTextLength),
    script: caller.script?.id,
    session: caller.sessionKey && hashedSession(caller.sessionKey),
    source: entry.source.slice(0, maxTextLength),
    tool: entry.tool.slice(0, maxTextLength),
    verdict: entry.verdict,
    why: entry.why.slice(0, maxTextLength),
  };
  return JSON.stringify(line).slice(0, -1);
}

/** Undefined if the line is incomplete: a crash or a full disk can cut one off. */
export function parseAuditLine(text: string): AuditLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isAuditLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Enough to tell two secrets apart, not enough to use one. */
export function shortHash(secret: string): string {
  return hash("sha256", secret).slice(0, 16);
}

let lastTime = { at: -1, text: "" };

/** Calls in the same millisecond share the text. */
function timeText(at: number): string {
  if (lastTime.at !== at) lastTime = { at, text: new Date(at).toISOString() };
  return lastTime.text;
}

const hashedSessions = new Map<string, string>();
const maxHashed = 4096;

/** Cached, since the same sessions call again and again. */
function hashedSession(key: string): string {
  const known = hashedSessions.get(key);
  if (known !== undefined) return known;
  if (hashedSessions.size >= maxHashed) hashedSessions.clear();
  const hashed = shortHash(key);
  hashedSessions.set(key, hashed);
  return hashed;
}

function isAuditLine(value: unknown): value is AuditLine {
  if (typeof value !== "object" || value === null) return false;
  return "time" in value && "door" in value && "tool" in value && "outcome" in value;
}
