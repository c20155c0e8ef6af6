import { type ExactNumber } from "../../core/exact-number.ts";
import { parseJson } from "../../core/json.ts";
import type { SlicedWork } from "../../core/slices/in-slices.ts";
import { parseJsonInSlices } from "../../core/slices/parse-json.ts";

/**
 * A large result holds the text that its server wrote. A result that a hub does not change need not be written anew, which
 * takes most of the time that a large one costs. A result that is changed becomes another object, which has no text, as
 * the property is not enumerable. Not in a `WeakMap`: what is in an old one outlives its key until a full collection.
 */
const written = Symbol("written");

interface WithText {
  readonly [written]?: string;
}

/** Writing a smaller one is quick. */
const minChars = 4096;
/** The text is kept as long as the result, and a result may be kept. */
const maxChars = 8 * 1024 * 1024;

/** The two orders of fields in which servers write a response; the second is that of the TypeScript SDK. */
const resultLast = /^\{"jsonrpc":"2\.0","id":(\d{1,15}|"[\w-]{1,100}"),"result":(?=\{)/;
const resultFirst = '{"result":{';
const afterResult = /\},"jsonrpc":"2\.0","id":(\d{1,15}|"[\w-]{1,100}")\}$/;
const maxFrameLength = 200;

interface LargeResponse {
  readonly jsonrpc: "2.0";
  readonly id: Id;
  readonly result: object;
}

type Id = string | number | ExactNumber;

/**
 * The response in a text, if it has a large result in one of the usual forms; undefined if JSON has to be parsed as a
 * whole. The result is parsed alone, so what does not end where it seems to end is no JSON and is left to the parser.
 */
export function parseLargeResponse(text: string): LargeResponse | undefined {
  if (text.length < minChars || text.length > maxChars) return undefined;
  try {
    const found = findResult(text);
    return found && withText(found, parseJson(found.text) as object);
  } catch {
    return undefined;
  }
}

/** The same for a text that is too long to be parsed at once. */
export function* parseLargeResponseInSlices(text: string): SlicedWork<LargeResponse | undefined> {
  if (text.length > maxChars) return undefined;
  try {
    const found = findResult(text);
    return found && withText(found, (yield* parseJsonInSlices(found.text)) as object);
  } catch {
    return undefined;
  }
}

function withText(found: FoundResult, result: object): LargeResponse {
  // A door may send it as one line.
  if (!found.text.includes("\n") && !found.text.includes("\r"))
    Object.defineProperty(result, written, { value: found.text, enumerable: false });
  return { jsonrpc: "2.0", id: found.id, result };
}

/** The id of a response in one of the usual forms, however large it is. */
export function findResponseId(text: string): Id | undefined {
  const start = resultLast.exec(text.slice(0, maxFrameLength));
  const end = text.startsWith(resultFirst) ? afterResult.exec(text.slice(-maxFrameLength).trimEnd()) : undefined;
  const found = start?.[1] ?? end?.[1];
  return found === undefined ? undefined : readId(found);
}

interface FoundResult {
  readonly id: Id;
  readonly text: string;
}

function findResult(text: string): FoundResult | undefined {
  if (text.startsWith(resultFirst)) {
    const end = afterResult.exec(text.slice(-maxFrameLength));
    if (!end) return undefined;
    return { id: readId(end[1]!), text: text.slice(resultFirst.length - 1, text.length - end[0].length + 1) };
  }
  const start = resultLast.exec(text.slice(0, maxFrameLength));
  if (!start || !text.endsWith("}")) return undefined;
  return { id: readId(start[1]!), text: text.slice(start[0].length, -1) };
}

function readId(text: string): Id {
  return JSON.parse(text) as Id;
}

/** The text of a response whose result is as its server wrote it, in parts; undefined if it has to be written. */
export function largeResponseParts(
  id: Id,
  result: object,
): readonly [head: string, result: string, end: string] | undefined {
  const text = (result as WithText)[written];
  return text === undefined ? undefined : [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, text, "}"];
}
