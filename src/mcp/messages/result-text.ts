import { type ExactNumber } from "../../core/exact-number.ts";
import { parseJson } from "../../core/json.ts";
/**
 * Large results as their servers wrote them. A result that a hub does not change need not be written anew, which takes
 * most of the time that a large one costs. A result that is changed becomes another object, which has no text.
 */
const texts = new WeakMap<object, string>();

/** Writing a smaller one is quick. */
const minChars = 4096;
/** The text is kept as long as the result, and a result may be kept. */
const maxChars = 8 * 1024 * 1024;

/** The two orders of fields in which servers write a response; the second is that of the TypeScript SDK. */
const resultLast = /^\{"jsonrpc":"2\.0","id":(\d{1,15}|"[\w-]{1,100}"),"result":(?=\{)/;
const resultFirst = '{"result":{';
const afterResult = /\},"jsonrpc":"2\.0","id":(\d{1,15}|"[\w-]{1,100}")\}$/;
const longestFrame = 200;

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
    if (!found) return undefined;
    const result = parseJson(found.text) as object;
    // A door may send it as one line.
    if (!/[\n\r]/.test(found.text)) texts.set(result, found.text);
    return { jsonrpc: "2.0", id: found.id, result };
  } catch {
    return undefined;
  }
}

/** The id of a response in one of the usual forms, however large it is. */
export function findResponseId(text: string): Id | undefined {
  const start = resultLast.exec(text.slice(0, longestFrame));
  const end = text.startsWith(resultFirst) ? afterResult.exec(text.slice(-longestFrame).trimEnd()) : undefined;
  const found = start?.[1] ?? end?.[1];
  return found === undefined ? undefined : readId(found);
}

function findResult(text: string): { readonly id: Id; readonly text: string } | undefined {
  if (text.startsWith(resultFirst)) {
    const end = afterResult.exec(text.slice(-longestFrame));
    if (!end) return undefined;
    return { id: readId(end[1]!), text: text.slice(resultFirst.length - 1, text.length - end[0].length + 1) };
  }
  const start = resultLast.exec(text.slice(0, longestFrame));
  if (!start || !text.endsWith("}")) return undefined;
  return { id: readId(start[1]!), text: text.slice(start[0].length, -1) };
}

function readId(text: string): Id {
  return JSON.parse(text) as Id;
}

/** The text of a response whose result is as its server wrote it; undefined if it has to be written. */
export function largeResponseText(id: Id, result: object): string | undefined {
  const text = texts.get(result);
  return text === undefined ? undefined : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
}
