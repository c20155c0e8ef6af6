import { isUtf8 } from "node:buffer";
import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import { isRequest, type JsonRpcMessage, type JsonRpcRequest, type Params } from "./json-rpc.ts";
import { isModernVersion } from "./protocol-version.ts";
import type { JsonSchema, Tool } from "./tool.ts";
import type { RequestHeaders } from "../../core/http/request-headers.ts";

/** Which field of `params` the header `Mcp-Name` repeats, by method. */
const nameFields: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** 2026-07-28, Server Validation: what proxies read in the headers has to be what the body says. */
export function checkMirroredHeaders(headers: RequestHeaders, request: JsonRpcRequest): void {
  if (singleHeader(headers, "mcp-method") !== request.method) {
    throw mismatch("Mcp-Method", "has to repeat the method of the body");
  }
  const field = nameFields[request.method];
  if (field === undefined) return;
  const name = request.params?.[field];
  if (typeof name !== "string") return;
  const given = singleHeader(headers, "mcp-name");
  if (given === undefined || decoded(given, "Mcp-Name") !== name) {
    throw mismatch("Mcp-Name", `has to repeat params.${field} of the body`);
  }
}

/** The arguments a tool marks with `x-mcp-header` travel as `Mcp-Param-…` too, and both have to agree. */
export function checkParamHeaders(headers: RequestHeaders, tool: Tool, args: Readonly<Record<string, unknown>>): void {
  for (const { header, path } of markedParams(tool.inputSchema)) {
    const name = `Mcp-Param-${header}`;
    const given = singleHeader(headers, name.toLowerCase());
    const value = path.reduce<unknown>(
      (at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      args,
    );
    if (value === undefined || value === null) {
      if (given !== undefined) throw mismatch(name, "is there, but the body has no such argument");
    } else if (given === undefined) {
      throw mismatch(name, "is missing, but the body has the argument");
    } else if (!agrees(decoded(given, name), value)) {
      throw mismatch(name, "does not repeat the argument of the body");
    }
  }
}

export interface MarkedParam {
  readonly header: string;
  readonly path: readonly string[];
}

const markedBySchema = new WeakMap<JsonSchema, readonly MarkedParam[]>();

function markedParams(schema: JsonSchema): readonly MarkedParam[] {
  let found = markedBySchema.get(schema);
  if (!found) markedBySchema.set(schema, (found = findMarked(schema, [])));
  return found;
}

/** Only properties reachable through `properties` alone may be marked; 16 levels are more than any tool has. */
function findMarked(schema: JsonSchema, path: readonly string[]): MarkedParam[] {
  const { properties } = schema;
  if (!isRecord(properties) || path.length >= 16) return [];
  return Object.entries(properties).flatMap(([key, property]) => {
    if (!isRecord(property)) return [];
    const here = [...path, key];
    const header = property["x-mcp-header"];
    return typeof header === "string" && header !== "" ? [{ header, path: here }] : findMarked(property, here);
  });
}

function agrees(text: string, value: unknown): boolean {
  switch (typeof value) {
    case "string":
      return text === value;
    case "boolean":
      return text === String(value);
    case "number":
      return /^-?\d+(\.\d+)?$/.test(text) && Number(text) === value;
    default:
      return false;
  }
}

const sentinel = /^=\?base64\?(.*)\?=$/s;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function decoded(value: string, name: string): string {
  const wrapped = sentinel.exec(value)?.[1];
  if (wrapped === undefined) {
    if (/[^\t\x20-\x7e]/.test(value)) throw mismatch(name, "holds characters that need the base64 form");
    return value;
  }
  const bytes = Buffer.from(wrapped, "base64");
  if (!base64.test(wrapped) || !isUtf8(bytes)) throw mismatch(name, "holds no valid base64 of a text");
  return bytes.toString("utf8");
}

function singleHeader(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

function mismatch(name: string, what: string): Fault {
  return new Fault("header-mismatch", `Header mismatch: ${name} ${what}.`);
}

const versionKey = "io.modelcontextprotocol/protocolVersion";

/** The headers that repeat a message of 2026-07-28 for whoever stands between us and the server. */
export function mirrorHeaders(message: JsonRpcMessage): Record<string, string> {
  if (!isRequest(message)) return {};
  const meta = message.params?._meta as Record<string, unknown> | undefined;
  const version = meta?.[versionKey];
  if (typeof version !== "string" || !isModernVersion(version)) return {};
  const name = nameOf(message.method, message.params ?? {});
  return {
    "mcp-protocol-version": version,
    "mcp-method": message.method,
    ...(name === undefined ? {} : { "mcp-name": headerValue(name) }),
  };
}

/** A value as it may stand in a header: plain where that is safe, else base64 in the marks the specification gives. */
export function headerValue(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/s.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
}

function nameOf(method: string, params: Readonly<Record<string, unknown>>): string | undefined {
  const value = method.startsWith("tasks/") ? params.taskId : method === "resources/read" ? params.uri : params.name;
  const isNamed =
    method === "tools/call" || method === "prompts/get" || method === "resources/read" || method.startsWith("tasks/");
  return isNamed && typeof value === "string" ? value : undefined;
}

/** The headers that repeat the arguments a tool marks with `x-mcp-header` (2026-07-28). */
export function paramHeaders(tool: Tool, args: Params): Record<string, string> | undefined {
  const marked = markedParams(tool.inputSchema);
  if (marked.length === 0) return undefined;
  const headers: Record<string, string> = {};
  for (const { header, path } of marked) {
    const value = path.reduce<unknown>(
      (at, key) => (typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as Params)[key] : undefined),
      args,
    );
    const isPlain = typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);
    if (isPlain) headers[`mcp-param-${header.toLowerCase()}`] = headerValue(String(value));
  }
  return headers;
}

/** A header's name as RFC 9110 § 5.1 allows it. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const markable: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
const deepestMark = 16;

/**
 * What is wrong with how a tool marks arguments with `x-mcp-header`, if anything. Clients of 2026-07-28 must leave out a
 * tool with such a mark when they speak HTTP: its headers could not be sent, or would be somebody else's.
 */
export function judgeHeaderMarks(schema: JsonSchema): string | undefined {
  const seen = new Set<string>();
  return judge(schema, 0);

  function judge(node: unknown, depth: number): string | undefined {
    const properties = isRecord(node) ? node.properties : undefined;
    if (!isRecord(properties) || depth >= deepestMark) return undefined;
    for (const [name, property] of Object.entries(properties)) {
      const problem = isRecord(property) ? (judgeMark(name, property) ?? judge(property, depth + 1)) : undefined;
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  function judgeMark(name: string, property: Readonly<Record<string, unknown>>): string | undefined {
    if (!Object.hasOwn(property, "x-mcp-header")) return undefined;
    const mark = property["x-mcp-header"];
    if (typeof mark !== "string" || !headerName.test(mark)) return `the mark of ${name} is no name of a header`;
    if (seen.has(mark.toLowerCase())) return `the mark of ${name} is there twice`;
    seen.add(mark.toLowerCase());
    return isMarkable(property.type) ? undefined : `${name} is no text, whole number or truth value`;
  }
}

function isMarkable(type: unknown): boolean {
  if (!Array.isArray(type)) return type === undefined || markable.has(type);
  const others = type.filter((each) => each !== "null");
  return others.length > 0 && others.every((each) => markable.has(each));
}
