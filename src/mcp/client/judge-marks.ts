import { isRecord } from "../../core/is-record.ts";
import type { JsonSchema } from "../tool.ts";

/** A header's name as RFC 9110 § 5.1 allows it. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const markable: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
const deepest = 16;

/**
 * What is wrong with how a tool marks arguments with `x-mcp-header`, if anything. Clients of 2026-07-28 must leave out a
 * tool with such a mark when they speak HTTP: its headers could not be sent, or would be somebody else's.
 */
export function judgeMarks(schema: JsonSchema): string | undefined {
  const seen = new Set<string>();
  return judge(schema, 0);

  function judge(node: unknown, depth: number): string | undefined {
    const properties = isRecord(node) ? node.properties : undefined;
    if (!isRecord(properties) || depth >= deepest) return undefined;
    for (const [name, property] of Object.entries(properties)) {
      const problem = isRecord(property) ? (judgeMark(name, property) ?? judge(property, depth + 1)) : undefined;
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  function judgeMark(name: string, property: Readonly<Record<string, unknown>>): string | undefined {
    if (!Object.hasOwn(property, "x-mcp-header")) return undefined;
    const mark = property["x-mcp-header"];
    if (typeof mark !== "string" || !token.test(mark)) return `the mark of ${name} is no name of a header`;
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
