import { charactersOf, hasLongRun, longRuns } from "./text-runs.ts";

/** More is read in slices by those who have more. */
const longestEncoded = 16_384;

const encodedRun =
  /(?<![\w+/=-])(?:[A-Za-z0-9+/_-]{20,}={0,2}|(?:[\da-fA-F]{2}[ :]){11,}[\da-fA-F]{2}|(?:\\x[\da-fA-F]{2}){8,})/g;
const base64Signs = charactersOf(/[\w+/-]/);
const hexSigns = charactersOf(/[\da-fA-F :]/);

/** Readable text that was written as base64 or hex. */
export function decodedIn(text: string): readonly { readonly via: "base64" | "hex"; readonly text: string }[] {
  const found: { via: "base64" | "hex"; text: string }[] = [];
  for (const run of encodedRuns(text)) {
    if (run.length > longestEncoded || found.length >= 8) continue;
    const hex = run.replaceAll(/[ :]|\\x/g, "");
    const isHex = /^[\da-fA-F]+$/.test(hex) && hex.length % 2 === 0;
    if (!isHex && isNoise(run)) continue;
    const decoded = Buffer.from(isHex ? hex : run, isHex ? "hex" : "base64").toString("utf8");
    if (isReadable(decoded)) found.push({ via: isHex ? "hex" : "base64", text: decoded });
  }
  return found;
}

/** What `encodedRun` matches; it is used only where there is more than base64. */
function* encodedRuns(text: string): Generator<string, void, undefined> {
  if (text.includes("\\x") || hasLongRun(text, hexSigns, 35)) {
    for (const [run] of text.matchAll(encodedRun)) yield run;
    return;
  }
  for (const { start, end } of longRuns(text, base64Signs, 20)) {
    if (text[start - 1] === "=") continue;
    const padding = text[end] !== "=" ? 0 : text[end + 1] === "=" ? 2 : 1;
    yield text.slice(start, end + padding);
  }
}

/** Whether the first bytes of base64 can be no text. Most runs are words, paths and ids, and are told by that. */
export function isNoise(run: string): boolean {
  for (let index = 0; index < 12; index += 4) {
    const bits =
      (sextets[run.charCodeAt(index)]! << 18) |
      (sextets[run.charCodeAt(index + 1)]! << 12) |
      (sextets[run.charCodeAt(index + 2)]! << 6) |
      sextets[run.charCodeAt(index + 3)]!;
    if (isControl(bits >> 16) || isControl((bits >> 8) & 0xff) || isControl(bits & 0xff)) return true;
    if (index === 0 && bits >> 16 >= 0x80 && bits >> 16 < 0xc2) return true;
  }
  return false;
}

const isControl = (byte: number): boolean => byte < 9 || (byte > 13 && byte < 32) || byte === 0x7f;

const sextets = new Uint8Array(128);
for (const [index, sign] of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".split("").entries())
  sextets[sign.charCodeAt(0)] = index;
sextets["-".charCodeAt(0)] = 62;
sextets["_".charCodeAt(0)] = 63;

/** Words with spaces, or one path or address. What merely looks like base64 decodes to noise. */
function isReadable(text: string): boolean {
  if (text.length < 12 || text.includes("\ufffd")) return false;
  // oxlint-disable-next-line no-control-regex
  if (/[\x00-\x08\x0e-\x1f\x7f]/.test(text)) return false;
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  return letters / text.length > 0.6 && (words.length > 2 || /\p{L}{8,}/u.test(text));
}
