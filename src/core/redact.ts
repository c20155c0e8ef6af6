import { Fault } from "./fault.ts";
import { redactText } from "./redact-text.ts";
import { Secret } from "./secret.ts";
import { codeOf } from "./thrown.ts";

export { redactText };

const deepest = 8;
const mostEntries = 100;
const mostNodes = 2000;
const mostCharacters = 65_536;

const secretKey =
  /authorization$|cookie|passw(?:or)?d|passphrase|secret|tokens?$|apikey|privatekey|credential|bearer|verifier|jwt/;

/**
 * A plain copy that is fit to be written down: secrets masked by the name of their key and by their shape, errors as
 * code, message and causes, depth and size bounded, cycles cut. Never throws, whatever it is given.
 */
export function redact(value: unknown): unknown {
  return copy(value, startWalk(), 0);
}

export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return copyEntries(Object.entries(fields), startWalk(), 1);
}

/** `open` are the objects the walk is inside of: only meeting one of these again is a cycle. */
interface Walk {
  readonly open: Set<object>;
  nodes: number;
  characters: number;
}

function startWalk(): Walk {
  return { open: new Set(), nodes: 0, characters: 0 };
}

function copy(value: unknown, walk: Walk, depth: number): unknown {
  if (typeof value === "string") return copyText(value, walk);
  if (typeof value === "object" && value !== null) return copyObject(value, walk, depth);
  if (typeof value === "function") return `[function ${value.name}]`;
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  return value;
}

function copyText(text: string, walk: Walk): string {
  if (walk.characters > mostCharacters) return "[…]";
  const safe = redactText(text);
  walk.characters += safe.length;
  return safe;
}

function copyObject(value: object, walk: Walk, depth: number): unknown {
  if (value instanceof Secret) return value.toString();
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (walk.open.has(value)) return "[circular]";
  if (depth >= deepest || ++walk.nodes > mostNodes) return "[…]";
  walk.open.add(value);
  try {
    return copyParts(value, walk, depth + 1);
  } catch {
    return "[unreadable]";
  } finally {
    walk.open.delete(value);
  }
}

function copyParts(value: object, walk: Walk, depth: number): unknown {
  if (value instanceof Error) return copyError(value, walk, depth);
  if (value instanceof URL) return redactText(value.href);
  if (Array.isArray(value)) return copyList(value, walk, depth);
  if (value instanceof Set) return copyList([...value], walk, depth);
  if (value instanceof Map || value instanceof Headers) {
    return copyEntries(
      [...value].map(([key, part]: [unknown, unknown]) => [String(key), part]),
      walk,
      depth,
    );
  }
  if ("toJSON" in value && typeof value.toJSON === "function") return copy(value.toJSON(), walk, depth);
  return copyEntries(Object.entries(value), walk, depth);
}

function copyError(error: Error, walk: Walk, depth: number): unknown {
  return {
    code: codeOf(error) ?? error.name,
    message: redactText(error.message),
    ...(error instanceof Fault && error.detail !== undefined ? { detail: copy(error.detail, walk, depth) } : {}),
    ...(error instanceof AggregateError ? { errors: copyList(error.errors, walk, depth) } : {}),
    ...(error.cause === undefined ? {} : { cause: copy(error.cause, walk, depth) }),
  };
}

function copyList(list: readonly unknown[], walk: Walk, depth: number): unknown[] {
  const parts = list.slice(0, mostEntries).map((part) => copy(part, walk, depth));
  if (list.length > mostEntries) parts.push(`[${list.length - mostEntries} more]`);
  return parts;
}

function copyEntries(
  entries: readonly (readonly [string, unknown])[],
  walk: Walk,
  depth: number,
): Record<string, unknown> {
  const parts = entries.slice(0, mostEntries).map(([key, part]): [string, unknown] => {
    return [redactText(key), isSecret(key, part) ? "[redacted]" : copy(part, walk, depth)];
  });
  if (entries.length > mostEntries) parts.push(["…", `[${entries.length - mostEntries} more]`]);
  return Object.fromEntries(parts);
}

/** Flags say nothing, and a plural with a number counts language tokens (`maxTokens: 4096`). */
export function isSecret(key: string, value: unknown): boolean {
  if (value === undefined || value === null || typeof value === "boolean") return false;
  const plain = key.toLowerCase().replace(/[^a-z]/g, "");
  return secretKey.test(plain) && !(typeof value === "number" && plain.endsWith("tokens"));
}
