import { isUtf8 } from "node:buffer";
import { Fault } from "../core/fault.ts";
import { isRecord } from "../core/is-record.ts";
import type { JsonRpcRequest } from "./json-rpc.ts";
import type { JsonSchema, Tool } from "./tool.ts";

/** Headers as `node:http` gives them: lower-case names. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

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
export function checkMirroredHeaders(headers: Headers, request: JsonRpcRequest): void {
  if (plain(headers, "mcp-method") !== request.method) {
    throw mismatch("Mcp-Method", "has to repeat the method of the body");
  }
  const field = nameFields[request.method];
  if (field === undefined) return;
  const name = request.params?.[field];
  if (typeof name !== "string") return;
  const given = plain(headers, "mcp-name");
  if (given === undefined || decoded(given, "Mcp-Name") !== name) {
    throw mismatch("Mcp-Name", `has to repeat params.${field} of the body`);
  }
}

/** The arguments a tool marks with `x-mcp-header` travel as `Mcp-Param-…` too, and both have to agree. */
export function checkParamHeaders(headers: Headers, tool: Tool, args: Readonly<Record<string, unknown>>): void {
  for (const { header, path } of markedParams(tool.inputSchema)) {
    const name = `Mcp-Param-${header}`;
    const given = plain(headers, name.toLowerCase());
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

const marked = new WeakMap<JsonSchema, readonly MarkedParam[]>();

export function markedParams(schema: JsonSchema): readonly MarkedParam[] {
  let found = marked.get(schema);
  if (!found) marked.set(schema, (found = findMarked(schema, [])));
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

function plain(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

function mismatch(name: string, what: string): Fault {
  return new Fault("header-mismatch", `Header mismatch: ${name} ${what}.`);
}
