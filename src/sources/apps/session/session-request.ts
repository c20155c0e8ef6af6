import { Fault } from "../../../core/fault.ts";
import { isRecord } from "../../../core/is-record.ts";
import { badTools, parseToolSet, type ToolSet } from "./tool-set.ts";

/** What an app requests when it opens a session. */
export interface SessionRequest {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly appVersion: string;
  readonly chatId: string;
  readonly toolSet: ToolSet;
  readonly ttlSeconds: number | undefined;
  readonly ownTokensOnly: boolean;
}

const maxTextLength = 512;

export function parseSessionRequest(body: unknown): SessionRequest {
  if (!isRecord(body)) throw bad("send a JSON object");
  const { tools = [], ttl_seconds: ttlSeconds, own_tokens_only: ownTokensOnly } = body;
  if (ttlSeconds !== undefined && (typeof ttlSeconds !== "number" || !(ttlSeconds >= 1))) {
    throw bad("`ttl_seconds` must be a number of at least 1");
  }
  if (ownTokensOnly !== undefined && typeof ownTokensOnly !== "boolean") {
    throw bad("`own_tokens_only` must be true or false");
  }
  return {
    deviceId: textOf(body, "device_id"),
    deviceName: textOf(body, "device_name"),
    appVersion: textOf(body, "app_version"),
    chatId: textOf(body, "chat_id"),
    toolSet: parseToolSet(tools),
    ttlSeconds,
    ownTokensOnly: ownTokensOnly === true,
  };
}

/** The body that replaces the tools of a session. */
export function parseToolsRequest(body: unknown): ToolSet {
  if (!isRecord(body) || body.tools === undefined) throw badTools("send a JSON object with `tools`");
  return parseToolSet(body.tools);
}

function textOf(body: Record<string, unknown>, key: string): string {
  const text = body[key] ?? "";
  if (typeof text !== "string" || text.length > maxTextLength) {
    throw bad(`\`${key}\` must be a string of at most ${maxTextLength} characters`);
  }
  return text;
}

function bad(problem: string): Fault {
  return new Fault("bad-params", `The session can't be registered: ${problem}.`);
}
