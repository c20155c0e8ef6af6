import type { SchemaNode, SubSchema, Targets } from "./schema-keywords.ts";

/** No real schema applies more sub-schemas than this to a single value. */
const mostForOneValue = 100_000;

/**
 * Why a check could run away because of references, or undefined. Either a schema leads back to itself without
 * descending into the value, or so many paths lead to the same schema that one value is checked again and again.
 */
export function judgeReferences(nodes: Iterable<SchemaNode>, targets: Targets): string | undefined {
  const unfinished = 0;
  const costs = new Map<SchemaNode, number>();
  for (const start of nodes) {
    const path = [start];
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const cost = costs.get(node);
      const parts = cost === undefined || cost === unfinished ? partsForSameValue(node, targets) : [];
      if (cost === undefined) {
        costs.set(node, unfinished);
        for (const part of parts) {
          if (costs.get(part) === unfinished) return "the schema refers to itself without end";
          if (!costs.has(part)) path.push(part);
        }
        continue;
      }
      path.pop();
      if (cost !== unfinished) continue;
      const total = parts.reduce((sum, part) => sum + (costs.get(part) ?? 0), 1);
      if (total > mostForOneValue) return "the schema's references multiply without bound";
      costs.set(node, total);
    }
  }
  return undefined;
}

/** The sub-schemas that apply to the same value as their parent. */
function partsForSameValue(node: SchemaNode, targets: Targets): SchemaNode[] {
  const { $ref, not, if: condition, then: consequence, else: alternative } = node;
  const parts: (SubSchema | readonly string[] | undefined)[] = [not, condition, consequence, alternative];
  if ($ref !== undefined) parts.push(targets[$ref]);
  for (const list of [node.allOf, node.anyOf, node.oneOf]) if (list !== undefined) parts.push(...list);
  for (const map of [node.dependentSchemas, node.dependencies])
    if (map !== undefined) parts.push(...Object.values(map));
  return parts.filter((part) => typeof part === "object" && !Array.isArray(part)) as SchemaNode[];
}
