import { hash } from "node:crypto";
import { measureValue } from "../../mcp/schema/measure-value.ts";
import { schemaBounds } from "../../mcp/schema/schema-bounds.ts";
import type { Tool } from "../../mcp/tool.ts";
import { badTools, parseAppTools } from "./app-tool.ts";

/** The tools of one registration. */
export interface ToolSet {
  readonly tools: readonly Tool[];
  /** As they came, for the store. */
  readonly raw: readonly unknown[];
  /** What they weigh as JSON. */
  readonly bytes: number;
}

/** The list and the tool are around the schema. */
const mostDepth = schemaBounds.depth + 2;

const known = new Map<string, WeakRef<ToolSet>>();
const forgotten = new FinalizationRegistry<string>((key) => {
  if (known.get(key)?.deref() === undefined) known.delete(key);
});

/** An app that many people run registers the same tools again and again: they are judged once and kept once. */
export function parseToolSet(value: unknown): ToolSet {
  if (measureValue(value, { depth: mostDepth, nodes: Infinity }) === "too deep") {
    throw badTools("`tools` is nested too deep");
  }
  const json = JSON.stringify(value) ?? "";
  const key = hash("sha256", json, "base64url");
  const same = known.get(key)?.deref();
  if (same) return same;
  const made = { tools: parseAppTools(value), raw: value as readonly unknown[], bytes: json.length };
  known.set(key, new WeakRef(made));
  forgotten.register(made, key);
  return made;
}
