import { stripVTControlCharacters } from "node:util";
import { redactFields, redactText } from "./secrets/redact.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where every part writes what it does. `fields` are for programs; secrets in them are redacted before a line is written. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** The same log with these fields on every line. */
  with(fields: Record<string, unknown>): Log;
}

/** Writes nothing: for callers that want no log, and for tests. */
export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => silentLog,
};

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: "human" | "json";
  /** Called with each line, without a newline. */
  write(line: string): void;
  readonly now?: () => Date;
  readonly color?: boolean;
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];
const colors: Readonly<Record<LogLevel, number>> = { debug: 90, info: 36, warn: 33, error: 31 };

/** Reads the options with each line, so their owner can change the level and the format of a log in use. */
export function createLog(options: LogOptions): Log {
  const { now = () => new Date(), color = false } = options;

  /** Bound fields are read with each line, so that a getter among them costs nothing if no line is written. */
  function logWith(bound: readonly Record<string, unknown>[]): Log {
    const say =
      (level: LogLevel) =>
      (message: string, fields: Record<string, unknown> = {}): void => {
        if (levels.indexOf(level) < levels.indexOf(options.level)) return;
        const safe = redactFields(Object.assign({}, ...bound, fields) as Record<string, unknown>);
        const entry = { time: now(), level, message: redactText(message), fields: safe };
        options.write(options.format === "json" ? jsonLine(entry) : humanLine(entry, color));
      };
    return {
      debug: say("debug"),
      info: say("info"),
      warn: say("warn"),
      error: say("error"),
      with: (fields) => logWith([...bound, fields]),
    };
  }
  return logWith([]);
}

interface Entry {
  readonly time: Date;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

function jsonLine({ time, level, message, fields }: Entry): string {
  const own = { time: time.toISOString(), level, message };
  const rest = Object.entries(fields).map(([key, value]) => [key in own ? `_${key}` : key, value]);
  return JSON.stringify({ ...own, ...Object.fromEntries(rest) });
}

function humanLine({ time, level, message, fields }: Entry, color: boolean): string {
  const paint = (code: number, text: string): string => (color ? `\u001B[${code}m${text}\u001B[0m` : text);
  const facts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${paint(90, `${visible(key)}=`)}${fieldText(value)}`);
  const clock = paint(90, time.toISOString().slice(11, 23));
  return `${clock} ${paint(colors[level], level.padEnd(5))} ${visible(message)}${facts.join("")}`;
}

function fieldText(value: unknown): string {
  if (typeof value === "string") return /^[\w./:@+[\]-]+$/.test(value) ? value : visible(JSON.stringify(value));
  if (isErrorCopy(value)) return visible(JSON.stringify(errorChain(value)));
  return visible(JSON.stringify(value) ?? String(value));
}

interface ErrorCopy {
  readonly code: string;
  readonly message: string;
  readonly cause?: unknown;
}

function isErrorCopy(value: unknown): value is ErrorCopy {
  if (typeof value !== "object" || value === null || !("message" in value) || !("code" in value)) return false;
  return typeof value.message === "string" && typeof value.code === "string";
}

function errorChain(error: ErrorCopy): string {
  const own = `${error.code}: ${error.message}`;
  if (error.cause === undefined) return own;
  return `${own} ← ${isErrorCopy(error.cause) ? errorChain(error.cause) : JSON.stringify(error.cause)}`;
}

/** Text from a peer must not start a new line, colour the terminal, or reorder what is shown. */
function visible(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g, (char) => {
    return char === "\n" ? "\\n" : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

export interface LiveLog extends Log {
  /** The last lines, without colours. */
  recent?(): readonly string[];
  /** Applies to this log and to every log made from it by `with`. */
  change(options: Partial<Pick<LogOptions, "level" | "format">>): void;
}

/** A log whose level and format can change while it is in use: an edited configuration applies at once. */
export function createLiveLog(options: LogOptions): LiveLog {
  let lines: string[] = [];
  const settings = {
    ...options,
    write(line: string): void {
      lines.push(line.length > maxRecentLength ? `${line.slice(0, maxRecentLength)}…` : line);
      // Cut in halves, so that a line costs nothing on average.
      if (lines.length >= 2 * maxRecent) lines = lines.slice(-maxRecent);
      options.write(line);
    },
  };
  return {
    ...createLog(settings),
    recent: () => lines.slice(-maxRecent).map((line) => stripVTControlCharacters(line)),
    change: (changed) => void Object.assign(settings, changed),
  };
}

const maxRecent = 500;
const maxRecentLength = 4000;
