import { isRecord } from "../../core/is-record.ts";
import type { Params } from "../json-rpc.ts";

/** What a modern result says to whoever asked for it, and to nobody behind them (2026-07-28: `Result`, `CacheableResult`). */
const ofTheAnswer = ["resultType", "ttlMs", "cacheScope"] as const;

/** Who speaks here, and how: true of the connection the result came over, false of the one it is passed on to. */
const ofTheConnection = [
  "io.modelcontextprotocol/serverInfo",
  "io.modelcontextprotocol/protocolVersion",
  "io.modelcontextprotocol/subscriptionId",
  "io.modelcontextprotocol/related-task",
] as const;

/** A result without what the protocol added for one connection: what the server itself said, other `_meta` included. */
export function plainResult(result: Params): Params {
  const { _meta: meta } = result;
  const hasMarks = isRecord(meta) && ofTheConnection.some((key) => key in meta);
  if (!hasMarks && !ofTheAnswer.some((key) => key in result)) return result;
  const plain: Record<string, unknown> = { ...result };
  for (const key of ofTheAnswer) delete plain[key];
  if (!hasMarks) return plain;
  const kept = { ...meta };
  for (const key of ofTheConnection) delete kept[key];
  if (Object.keys(kept).length > 0) plain._meta = kept;
  else delete plain._meta;
  return plain;
}
