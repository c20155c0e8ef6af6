import { isRequest, type JsonRpcMessage } from "../json-rpc.ts";
import { isModernVersion } from "../protocol-version.ts";

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
