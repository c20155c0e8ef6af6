import { asRecord, isRecord } from "../../../../core/is-record.ts";
import { CapabilityFault, invalidRequest } from "../../capability.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A message of A2UI 0.8, checked. */
export type A2uiMessage =
  | { readonly kind: "beginRendering"; readonly surface: string; readonly root: string }
  | { readonly kind: "surfaceUpdate"; readonly surface: string; readonly components: readonly A2uiComponent[] }
  | {
      readonly kind: "dataModelUpdate";
      readonly surface: string;
      readonly path: readonly string[];
      readonly contents: readonly A2uiEntry[];
    }
  | { readonly kind: "deleteSurface"; readonly surface: string };

export interface A2uiComponent {
  readonly id: string;
  /** `Text`, `Column` … */
  readonly type: string;
  readonly fields: Fields;
  readonly weight?: number;
}

export interface A2uiEntry {
  readonly key: string;
  readonly value: A2uiValue;
}

export type A2uiValue = string | number | boolean | readonly A2uiEntry[];

export const maxJsonlBytes = 4 * 1024 * 1024;
const maxLines = 4096;
const deepestMap = 20;

/** What later versions of A2UI call their messages. */
const laterKinds = ["createSurface", "updateComponents", "updateDataModel"];

/**
 * One message a line. A line that is wrong makes all of them fail, by its number: nothing of it is repeated, since it may
 * come from a file that the caller can't read.
 */
export function parseA2ui(jsonl: string): readonly A2uiMessage[] {
  if (Buffer.byteLength(jsonl) > maxJsonlBytes)
    throw new CapabilityFault("PAYLOAD_TOO_LARGE", `The messages are larger than ${maxJsonlBytes} bytes.`, {
      code: "too-large",
    });
  const lines = jsonl.split("\n");
  const messages = lines.flatMap((line, index) => (line.trim() === "" ? [] : [parseLine(line, index + 1)]));
  if (messages.length > maxLines) throw invalidRequest(`There are more than ${maxLines} messages.`);
  if (messages.length === 0) throw invalidRequest("There is no message. Send one JSON object a line.");
  return messages;
}

function parseLine(line: string, number: number): A2uiMessage {
  const wrong = (what: string) => invalidRequest(`line ${number}: ${what}.`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw wrong("is not JSON");
  }
  if (!isRecord(value)) throw wrong("is not an object");
  if (laterKinds.some((kind) => Object.hasOwn(value, kind)))
    throw new CapabilityFault("A2UI_VERSION_UNSUPPORTED", `line ${number}: only A2UI 0.8 is supported.`, {
      code: "bad-params",
    });
  const kinds = Object.keys(value);
  const [kind = ""] = kinds;
  const parse = Object.hasOwn(parsers, kind) ? parsers[kind] : undefined;
  if (kinds.length !== 1 || parse === undefined)
    throw wrong(`must have exactly one of the keys ${Object.keys(parsers).join(", ")}`);
  const fields = asRecord(value[kind]);
  const { surfaceId } = fields;
  if (!isName(surfaceId)) throw wrong("`surfaceId` must be a string of 1 to 200 characters");
  return parse(surfaceId, fields, wrong);
}

type Parser = (surface: string, fields: Fields, wrong: (what: string) => Error) => A2uiMessage;

const parsers: Readonly<Record<string, Parser>> = {
  beginRendering(surface, { root }, wrong) {
    if (!isName(root)) throw wrong("`root` must be the id of a component");
    return { kind: "beginRendering", surface, root };
  },
  surfaceUpdate(surface, { components }, wrong) {
    if (!Array.isArray(components)) throw wrong("`components` must be a list");
    return {
      kind: "surfaceUpdate",
      surface,
      components: components.map((entry) => parseComponent(entry, wrong)),
    };
  },
  dataModelUpdate(surface, { path = "/", contents }, wrong) {
    if (typeof path !== "string" || path.length > 2000) throw wrong("`path` must be a string");
    return { kind: "dataModelUpdate", surface, path: splitPath(path), contents: parseEntries(contents, 0, wrong) };
  },
  deleteSurface: (surface) => ({ kind: "deleteSurface", surface }),
};

function parseComponent(entry: unknown, wrong: (what: string) => Error): A2uiComponent {
  const { id, component, weight } = asRecord(entry);
  const types = Object.entries(asRecord(component));
  const [type, fields] = types[0] ?? [];
  if (!isName(id) || type === undefined || types.length !== 1 || !isRecord(fields))
    throw wrong('each component needs an `id` and a `component` with one type, like {"Text": {…}}');
  return { id, type, fields, ...(typeof weight === "number" && { weight }) };
}

function parseEntries(contents: unknown, depth: number, wrong: (what: string) => Error): readonly A2uiEntry[] {
  if (!Array.isArray(contents)) throw wrong("`contents` must be a list");
  if (depth > deepestMap) throw wrong("`contents` is nested too deeply");
  return contents.map((entry) => {
    const { key, valueString, valueNumber, valueBoolean, valueMap } = asRecord(entry);
    if (typeof key !== "string" || key.length > 1000) throw wrong("each entry of `contents` needs a `key`");
    if (typeof valueString === "string") return { key, value: valueString };
    if (typeof valueNumber === "number") return { key, value: valueNumber };
    if (typeof valueBoolean === "boolean") return { key, value: valueBoolean };
    if (valueMap !== undefined) return { key, value: parseEntries(valueMap, depth + 1, wrong) };
    throw wrong("each entry of `contents` needs valueString, valueNumber, valueBoolean or valueMap");
  });
}

/** `/user/name` and `user.name` mean the same; the beginning is the same with and without a slash. */
export function splitPath(path: string): readonly string[] {
  return (path.includes("/") ? path.split("/") : path.split(".")).filter((part) => part !== "");
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= 200;
}
