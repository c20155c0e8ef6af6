import { mask } from "./redact.ts";

/** Shorter ones may be ordinary words. */
const shortestSecret = 6;
/** Less than this of a secret, at the edge of a cut text, gives nothing away. */
const shortestPart = 4;

/** Which ends of a text may have cut through a secret. */
export interface CutEnds {
  readonly start?: boolean;
  readonly end?: boolean;
}

/** Masks known secrets in a text. */
export type KnownRedactor = (text: string, cut?: CutEnds) => string;

/** Masks known secrets: some peers repeat in their errors what they were sent, keys included. */
export function redactKnown(text: string, secrets: readonly string[]): string {
  return createKnownRedactor(secrets)(text);
}

/**
 * Finds the secrets as they are, in JSON, URL-encoded and in base64 (alone or inside something larger), also if line
 * breaks split them.
 */
export function createKnownRedactor(secrets: readonly string[]): KnownRedactor {
  const long = new Set(secrets.filter((secret) => secret.length >= shortestSecret));
  const forms = [...new Set([...long].flatMap(formsOf))].filter((form) => form.length >= shortestSecret);
  if (forms.length === 0) return (text) => text;
  return (text, cut = {}) => {
    const { plain, offsetOf } = withoutBreaks(text);
    const found = forms.flatMap((form) => [...occurrences(plain, form), ...partsAtEnds(plain, form, cut)]);
    return maskRanges(
      text,
      found.map(({ from, to }) => ({ from: offsetOf(from), to: offsetOf(to - 1) + 1 })),
    );
  };
}

function formsOf(secret: string): string[] {
  const value = withoutBreaks(secret.toWellFormed()).plain;
  const percent = encodeURIComponent(value);
  const strict = percent.replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const encoded = [percent, strict, percent.replaceAll("%20", "+")];
  const lowerCase = encoded.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()));
  const inJson = withoutBreaks(JSON.stringify(secret).slice(1, -1)).plain;
  const base64 = [value, secret].flatMap(base64Forms);
  return [value, inJson, ...encoded, ...lowerCase, ...base64, ...base64.map(toBase64Url)];
}

/** Alone, and as it looks after 0, 1 or 2 bytes of something else: without the characters it shares with what is beside it. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const inside = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const alone = bytes.toString("base64");
  return [alone, alone.replace(/=+$/, ""), ...inside];
}

function toBase64Url(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function* occurrences(text: string, form: string): Generator<Range> {
  for (let from = text.indexOf(form); from >= 0; from = text.indexOf(form, from + 1))
    yield { from, to: from + form.length };
}

/** The rest of a form at the start of the text, and the beginning of one at its end. */
function* partsAtEnds(text: string, form: string, { start = false, end = false }: CutEnds): Generator<Range> {
  const most = Math.min(form.length - 1, text.length);
  for (let length = most; start && length >= shortestPart; length--) {
    if (!text.startsWith(form.slice(-length))) continue;
    yield { from: 0, to: length };
    break;
  }
  for (let length = most; end && length >= shortestPart; length--) {
    if (!text.endsWith(form.slice(0, length))) continue;
    yield { from: text.length - length, to: text.length };
    break;
  }
}

function maskRanges(text: string, ranges: readonly Range[]): string {
  let safe = "";
  let done = 0;
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    if (to <= done) continue;
    if (from >= done) safe += text.slice(done, from) + mask;
    done = to;
  }
  return safe + text.slice(done);
}

interface Unbroken {
  readonly plain: string;
  /** Where a character of `plain` is in the original text. */
  offsetOf(index: number): number;
}

function withoutBreaks(text: string): Unbroken {
  if (!/[\n\r]/.test(text)) return { plain: text, offsetOf: (index) => index };
  const offsets: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code !== 10 && code !== 13) offsets.push(index);
  }
  return { plain: text.replaceAll(/[\n\r]/g, ""), offsetOf: (index) => offsets[index] ?? text.length };
}
