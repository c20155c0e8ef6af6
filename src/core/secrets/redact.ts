import { isExactNumber } from "../exact-number.ts";
import { codeOf, Fault } from "../fault.ts";
import { Secret } from "./secret.ts";

export const mask = "[redacted]";
const maxDepth = 8;
const maxEntries = 100;
const maxNodes = 2000;
const maxCharacters = 65_536;

const secretFieldName =
  /authorization$|cookie|passw(?:or)?d|passphrase|secret|tokens?$|apikey|privatekey|credential|bearer|verifier|jwt/;

/**
 * A plain copy that is safe to write down: secrets masked by the name of their key and by their shape, errors as code,
 * message and causes, depth and size limited, cycles cut. Never throws.
 */
export function redact(value: unknown): unknown {
  return copyValue(value, startWalk(), 0);
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

function copyValue(value: unknown, walk: Walk, depth: number): unknown {
  if (typeof value === "string") return copyText(value, walk);
  if (isExactNumber(value)) return value;
  if (typeof value === "object" && value !== null) return copyObject(value, walk, depth);
  if (typeof value === "function") return `[function ${value.name}]`;
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  return value;
}

function copyText(text: string, walk: Walk): string {
  if (walk.characters > maxCharacters) return "[…]";
  const safe = redactText(text);
  walk.characters += safe.length;
  return safe;
}

function copyObject(value: object, walk: Walk, depth: number): unknown {
  if (value instanceof Secret) return value.toString();
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (walk.open.has(value)) return "[circular]";
  if (depth >= maxDepth || ++walk.nodes > maxNodes) return "[…]";
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
  if ("toJSON" in value && typeof value.toJSON === "function") return copyValue(value.toJSON(), walk, depth);
  return copyEntries(Object.entries(value), walk, depth);
}

function copyError(error: Error, walk: Walk, depth: number): unknown {
  return {
    code: codeOf(error) ?? error.name,
    message: redactText(error.message),
    ...(error instanceof Fault && error.detail !== undefined ? { detail: copyValue(error.detail, walk, depth) } : {}),
    ...(error instanceof AggregateError ? { errors: copyList(error.errors, walk, depth) } : {}),
    ...(error.cause === undefined ? {} : { cause: copyValue(error.cause, walk, depth) }),
  };
}

function copyList(list: readonly unknown[], walk: Walk, depth: number): unknown[] {
  const parts = list.slice(0, maxEntries).map((part) => copyValue(part, walk, depth));
  if (list.length > maxEntries) parts.push(`[${list.length - maxEntries} more]`);
  return parts;
}

function copyEntries(
  entries: readonly (readonly [string, unknown])[],
  walk: Walk,
  depth: number,
): Record<string, unknown> {
  const parts = entries.slice(0, maxEntries).map(([key, part]): [string, unknown] => {
    return [redactText(key), isSecretField(key, part) ? mask : copyValue(part, walk, depth)];
  });
  if (entries.length > maxEntries) parts.push(["…", `[${entries.length - maxEntries} more]`]);
  return Object.fromEntries(parts);
}

/** Booleans are no secrets, and a plural with a number counts language tokens (`maxTokens: 4096`). */
export function isSecretField(key: string, value: unknown): boolean {
  if (value === undefined || value === null || typeof value === "boolean") return false;
  const plain = key.toLowerCase().replace(/[^a-z]/g, "");
  return secretFieldName.test(plain) && !(typeof value === "number" && plain.endsWith("tokens"));
}

const maxTextLength = 8192;
/** Longer than any secret: a text that is cut loses up to this much of an unbroken last word, so no half secret is left. */
const maxWordLength = 1024;

const secretNames = "api[-_]?key|pass(?:word|wd|phrase)|secret|token|authorization|cookie|credentials?|private[-_]?key";

/** Excludes ordinary words: `Bearer authentication failed.` contains no secret. */
const notOrdinaryWord = String.raw`(?![A-Z]?[a-z]{1,16}\.?(?![\w.~+/=-]))`;

const secretShapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, mask],
  [/(\bauthorization["']?\s{0,8}[:=]\s{0,8}["']?(?:Bearer|DPoP)\s+)[\w.~+/=-]{6,}/gi, `$1${mask}`],
  [
    new RegExp(String.raw`\b([Bb][Ee][Aa][Rr][Ee][Rr]|[Dd][Pp][Oo][Pp])\s+${notOrdinaryWord}[\w.~+/=-]{6,}`, "g"),
    `$1 ${mask}`,
  ],
  [
    new RegExp(String.raw`\b(Basic|Token)\s+${notOrdinaryWord}(?=[\w.~+/-]*[A-Z0-9])[\w.~+/-]{8,}={0,2}`, "g"),
    `$1 ${mask}`,
  ],
  [/\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*){1,3}/g, mask],
  [/\b(?:sk|pk|rk|tvly|glpat|xai|nvapi)[-_][\w-]{12,}/g, mask],
  [/\b(?:gh[pousr]|github_pat|npm|hf|dop_v1|shpat)_\w{16,}/g, mask],
  [/\bxox[a-z](?:\.[a-z]+)?-[\w-]{8,}/g, mask],
  [/\bA(?:KIA|SIA)[0-9A-Z]{16}\b/g, mask],
  [/\bAIza[\w-]{30,}/g, mask],
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@"'<>]{1,512}@/gi, `$1${mask}@`],
  [
    /([?&#;][\w.-]{0,64}?(?:token|key|secret|pass|code|sig|auth|credential|session|jwt)[\w.-]{0,64}=)[^&\s#"'<>]+/gi,
    `$1${mask}`,
  ],
  [
    new RegExp(
      String.raw`((?:${secretNames})[\w-]{0,32}=)(?!\[redacted\]|\$\{\w+\}(?![^\s"'&;,]))(?:"[^"]*"|'[^']*'|[^\s"'&;,]+)`,
      "gi",
    ),
    `$1${mask}`,
  ],
  [new RegExp(String.raw`("[\w-]{0,64}(?:${secretNames})"\s{0,8}:\s{0,8}")(?:[^"\\]|\\.)*`, "gi"), `$1${mask}`],
  // Our own tokens: 32 random bytes in base64url. Both cases present, so a long plain name is left alone.
  [/(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/g, mask],
  [/(?<![\w+/-])[A-Za-z0-9+/]{43}=(?!=)/g, mask],
];

/** The text with everything masked that looks like a secret, and of limited length. */
export function redactText(text: string): string {
  const isLong = text.length > maxTextLength;
  const safe = redactShapes(isLong ? cutAtWord(text) : text);
  return isLong ? `${safe}… (${text.length} characters)` : safe;
}

/** The same for a text whose length is limited already. */
export function redactShapes(text: string): string {
  return secretShapes.reduce((safe, [shape, replacement]) => safe.replace(shape, replacement), text);
}

function cutAtWord(text: string): string {
  const head = text.slice(0, maxTextLength);
  const tail = head.slice(-maxWordLength);
  const lastSpace = tail.search(/\s\S*$/);
  return head.slice(0, maxTextLength - maxWordLength + Math.max(lastSpace, 0));
}
