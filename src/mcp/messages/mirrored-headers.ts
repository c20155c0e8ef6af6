import { isUtf8 } from "node:buffer";
import { isExactNumber } from "../../core/exact-number.ts";
import { Fault } from "../../core/fault.ts";
import type { RequestHeaders } from "../../core/http/request-headers.ts";
import { asRecord, isRecord } from "../../core/is-record.ts";
import { metaKeys } from "./envelope.ts";
import { isRequest, type JsonRpcMessage, type JsonRpcRequest, type Params } from "./json-rpc.ts";
import { isModernVersion } from "./protocol-version.ts";
import type { JsonSchema, Tool } from "./tool.ts";

/** The field of `params` that the header `Mcp-Name` repeats, by method. */
const nameFields: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/** The headers that repeat parts of a 2026-07-28 message for the proxies on its way. Other messages have none. */
export function mirrorHeaders(message: JsonRpcMessage): Record<string, string> {
  if (!isRequest(message)) return {};
  const { method, params = {} } = message;
  const version = asRecord(params._meta)[metaKeys.protocolVersion];
  if (typeof version !== "string" || !isModernVersion(version)) return {};
  // Later methods of the tasks extension name their task as well.
  const field = nameFields.get(method) ?? (method.startsWith("tasks/") ? "taskId" : undefined);
  const name = field === undefined ? undefined : params[field];
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": headerValue(name) } : {}),
  };
}

/** 2026-07-28, Server Validation: the headers, which proxies read, must match the body. */
export function checkMirroredHeaders(headers: RequestHeaders, request: JsonRpcRequest): void {
  if (singleHeader(headers, "mcp-method") !== request.method) {
    throw mismatch("Mcp-Method", "must repeat the method of the body");
  }
  const field = nameFields.get(request.method);
  if (field === undefined) return;
  const name = request.params?.[field];
  if (typeof name !== "string") return;
  const given = singleHeader(headers, "mcp-name");
  if (given === undefined || decodeHeaderValue(given, "Mcp-Name") !== name) {
    throw mismatch("Mcp-Name", `must repeat params.${field} of the body`);
  }
}

/** The headers that repeat the arguments a tool marks with `x-mcp-header` (2026-07-28). Undefined if it marks none. */
export function paramHeaders(tool: Tool, args: Params): Record<string, string> | undefined {
  const marked = markedParams(tool.inputSchema);
  if (marked.length === 0) return undefined;
  const headers: Record<string, string> = {};
  for (const { header, path } of marked) {
    const value = argumentAt(args, path);
    const isSendable = typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);
    const text = isExactNumber(value) ? value.rawJSON : isSendable ? String(value) : undefined;
    if (text !== undefined) headers[`mcp-param-${header.toLowerCase()}`] = headerValue(text);
  }
  return headers;
}

/** Arguments that a tool marks with `x-mcp-header` also travel as `Mcp-Param-…` headers, and both must agree. */
export function checkParamHeaders(headers: RequestHeaders, tool: Tool, args: Params): void {
  for (const { header, path } of markedParams(tool.inputSchema)) {
    const name = `Mcp-Param-${header}`;
    const given = singleHeader(headers, name.toLowerCase());
    const value = argumentAt(args, path);
    if (value === undefined || value === null) {
      if (given !== undefined) throw mismatch(name, "is set, but the body has no such argument");
    } else if (given === undefined) {
      throw mismatch(name, "is missing, but the body has the argument");
    } else if (!isSameArgument(decodeHeaderValue(given, name), value)) {
      throw mismatch(name, "does not repeat the argument of the body");
    }
  }
}

function argumentAt(args: Params, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (parent, key) => (isRecord(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined),
    args,
  );
}

function isSameArgument(text: string, value: unknown): boolean {
  switch (typeof value) {
    case "string":
      return text === value;
    case "boolean":
      return text === String(value);
    case "number":
      return /^-?\d+(\.\d+)?$/.test(text) && Number(text) === value;
    default:
      return isExactNumber(value) && text === value.rawJSON;
  }
}

function singleHeader(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

function mismatch(name: string, what: string): Fault {
  return new Fault("header-mismatch", `Header mismatch: ${name} ${what}.`);
}

const base64Form = /^=\?base64\?(.*)\?=$/s;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A value as a header may hold it: plain if that is safe, otherwise in the base64 form of the specification. */
export function headerValue(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !base64Form.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
}

function decodeHeaderValue(value: string, name: string): string {
  const encoded = base64Form.exec(value)?.[1];
  if (encoded === undefined) {
    if (/[^\t\x20-\x7e]/.test(value)) throw mismatch(name, "has characters that need the base64 form");
    return value;
  }
  const bytes = Buffer.from(encoded, "base64");
  if (!base64.test(encoded) || !isUtf8(bytes)) throw mismatch(name, "is not valid base64 of UTF-8 text");
  return bytes.toString("utf8");
}

interface MarkedParam {
  readonly header: string;
  readonly path: readonly string[];
}

const markedBySchema = new WeakMap<JsonSchema, readonly MarkedParam[]>();

/** Only properties reachable through `properties` alone may be marked; 16 levels are more than any tool has. */
const deepestMark = 16;

function markedParams(schema: JsonSchema): readonly MarkedParam[] {
  let found = markedBySchema.get(schema);
  if (!found) markedBySchema.set(schema, (found = findMarked(schema, [])));
  return found;
}

function findMarked(schema: JsonSchema, path: readonly string[]): MarkedParam[] {
  const { properties } = schema;
  if (!isRecord(properties) || path.length >= deepestMark) return [];
  return Object.entries(properties).flatMap(([key, property]) => {
    if (!isRecord(property)) return [];
    const here = [...path, key];
    const header = property["x-mcp-header"];
    return typeof header === "string" && header !== "" ? [{ header, path: here }] : findMarked(property, here);
  });
}

/** A header name as RFC 9110 § 5.1 allows it. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const markableTypes: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/**
 * What is wrong with how a tool marks arguments with `x-mcp-header`, or undefined. HTTP clients of 2026-07-28 must leave
 * out a tool with an invalid mark: its headers could not be sent, or would overwrite others.
 */
export function judgeHeaderMarks(schema: JsonSchema): string | undefined {
  const seen = new Set<string>();
  return judgeProperties(schema, 0);

  function judgeProperties(node: JsonSchema, depth: number): string | undefined {
    const { properties } = node;
    if (!isRecord(properties) || depth >= deepestMark) return undefined;
    for (const [name, property] of Object.entries(properties)) {
      if (!isRecord(property)) continue;
      const problem = judgeMark(name, property) ?? judgeProperties(property, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  function judgeMark(name: string, property: JsonSchema): string | undefined {
    if (!Object.hasOwn(property, "x-mcp-header")) return undefined;
    const mark = property["x-mcp-header"];
    if (typeof mark !== "string" || !headerName.test(mark)) return `the mark of ${name} is not a valid header name`;
    if (seen.has(mark.toLowerCase())) return `the mark of ${name} is used twice`;
    seen.add(mark.toLowerCase());
    return isMarkable(property.type) ? undefined : `${name} is not a string, an integer or a boolean`;
  }
}

function isMarkable(type: unknown): boolean {
  if (!Array.isArray(type)) return type === undefined || markableTypes.has(type);
  const others = type.filter((each) => each !== "null");
  return others.length > 0 && others.every((each) => markableTypes.has(each));
}
