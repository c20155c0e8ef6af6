import { isRecord } from "../../src/core/is-record.ts";
import type { Random } from "../support/random.ts";

/** The headers of a request, and whether they contradict its body. */
export interface HeaderChoice {
  readonly headers: Readonly<Record<string, string>>;
  readonly isMismatched: boolean;
}

const versionKey = "io.modelcontextprotocol/protocolVersion";

const nameFields: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

const plainText = /^[\x21-\x7e]+( [\x21-\x7e]+)*$/;

/** The headers that must repeat parts of a modern request. A few are left out or changed. */
export function chooseHeaders(random: Random, message: unknown): HeaderChoice {
  if (!isRecord(message) || typeof message.method !== "string" || !("id" in message) || !isRecord(message.params)) {
    return { headers: {}, isMismatched: false };
  }
  const { method, params } = message;
  const version = isRecord(params._meta) ? params._meta[versionKey] : undefined;
  if (typeof version !== "string") return { headers: {}, isMismatched: false };

  const mirrored: Record<string, string> = { "mcp-protocol-version": version, "mcp-method": method };
  const name = params[nameFields.get(method) ?? ""];
  if (typeof name === "string") mirrored["mcp-name"] = plainText.test(name) ? name : encoded(name);
  const sendable = Object.entries(mirrored).filter(([, value]) => plainText.test(value));
  const isLost = sendable.length < Object.keys(mirrored).length || (typeof name === "string" && !name.isWellFormed());
  if (!random.chance(0.05)) return { headers: Object.fromEntries(sendable), isMismatched: isLost };

  const at = random.int(sendable.length);
  const changed = random.chance(0.5)
    ? sendable.toSpliced(at, 1)
    : sendable.map(([key, value], index) => [key, index === at ? `${value}x` : value]);
  return { headers: Object.fromEntries(changed), isMismatched: true };
}

function encoded(text: string): string {
  return `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
