import { isRecord } from "../../core/is-record.ts";
import { atOnce, type SlicedWork, sliceChars } from "../../core/slices/in-slices.ts";
import { slicesOf } from "../../core/slices/text-slices.ts";
import { type Finding, quoteAt, sortFindings } from "./finding.ts";
import { readWording } from "./read-wording.ts";
import { structureRules } from "./rules/structure.ts";

/** What is read of a result: its text blocks, the texts of its resources, and the texts of its structured content. */
export interface ScreenedResult {
  readonly content?: readonly unknown[] | undefined;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

const maxFindings = 20;
const maxValues = 20_000;
const maxDepth = 64;
/** An instruction that lies across two slices is read in the second one. */
const overlap = 400;

/** For a short result. */
export function screenResultAtOnce(result: ScreenedResult): readonly Finding[] {
  return atOnce(screenResult(result));
}

/** Yields wherever it may be interrupted. */
export function* screenResult({
  content = [],
  structuredContent,
  isError,
}: ScreenedResult): SlicedWork<readonly Finding[]> {
  const found: Finding[] = [];
  for (const [index, block] of content.entries()) {
    for (const { where, text } of blockTexts(block, `content[${index}]`))
      yield* screenText(isError === true ? `error: ${text}` : text, where, found);
    if (found.length >= maxFindings) break;
  }
  if (structuredContent !== undefined && found.length < maxFindings) yield* screenValue(structuredContent, found);
  return found.length === 0 ? found : sortFindings(found).slice(0, maxFindings);
}

function blockTexts(block: unknown, where: string): readonly { readonly where: string; readonly text: string }[] {
  if (!isRecord(block)) return [];
  const { type, text, resource, title, description } = block;
  if (type === "text" && typeof text === "string") return [{ where, text }];
  if (type === "resource" && isRecord(resource) && typeof resource.text === "string")
    return [{ where: `${where}.resource`, text: resource.text }];
  if (type !== "resource_link") return [];
  return [title, description].flatMap((each) => (typeof each === "string" ? [{ where, text: each }] : []));
}

const smallSlice = sliceChars / 4;

function* screenText(text: string, where: string, found: Finding[]): SlicedWork<void> {
  if (text.length < shortest || isOneRun(text)) return;
  if (text.length <= smallSlice) {
    readSlice(text, where, found);
    return;
  }
  let before = "";
  for (const slice of slicesOf(text, smallSlice)) {
    readSlice(before + slice, where, found);
    if (found.length >= maxFindings) return;
    before = slice.slice(-overlap);
    yield;
  }
}

const shortest = 16;
const longestRun = 8192;

/**
 * One run of letters and digits, such as base64 data or an id, says nothing unless it is readable once it is decoded.
 * Only functions that take no time for it are used: most large results are such a run, or text with spaces.
 */
function isOneRun(text: string): boolean {
  if (text.includes(" ") || text.includes("\n") || text.includes("<") || text.includes("(")) return false;
  if (Buffer.byteLength(text) !== text.length) return false;
  if (text.length > longestRun) return true;
  return (
    !secretOrLink.test(text) && !/^[\x20-\x7e]{12}/.test(Buffer.from(text.slice(0, 64), "base64").toString("latin1"))
  );
}

const secretOrLink = /:\/\/|-----|[=:"'_]/;

function readSlice(text: string, where: string, found: Finding[]): void {
  for (const rule of structureRules) {
    const severity = rule.reads.result;
    if (severity === undefined) continue;
    const hit = rule.find(text);
    if (hit !== undefined)
      found.push({ rule: rule.id, severity, where, quote: quoteAt(text, hit.start, hit.end), why: rule.why });
  }
  found.push(...readWording(text, where, "result"));
}

function* screenValue(value: unknown, found: Finding[]): SlicedWork<void> {
  const open: { readonly value: unknown; readonly where: string; readonly depth: number }[] = [
    { value, where: "structuredContent", depth: 0 },
  ];
  for (let count = 0; open.length > 0 && count < maxValues && found.length < maxFindings; count++) {
    const { value: each, where, depth } = open.pop()!;
    if (typeof each === "string") yield* screenText(each, where, found);
    else if (typeof each === "object" && each !== null && depth < maxDepth)
      for (const [key, inner] of Object.entries(each))
        open.push({ value: inner, where: `${where}.${key}`, depth: depth + 1 });
    if (count % 64 === 63) yield;
  }
}
