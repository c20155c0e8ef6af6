import { isRecord } from "../../core/is-record.ts";
import type { SchemaNode, SubSchema, Targets } from "./schema-keywords.ts";

/**
 * Finds the target of a reference within one document: a JSON pointer (RFC 6901) or the name of an anchor. A document
 * without `$id` below the root is one schema resource, where `$dynamicAnchor` works like `$anchor`.
 */
export function createTargetFinder(root: object): (reference: string) => unknown {
  let anchors: ReadonlyMap<string, object> | undefined;
  return (reference) => {
    const fragment = decode(reference.slice(1));
    if (fragment === undefined) return undefined;
    if (fragment === "") return root;
    if (fragment.startsWith("/")) return follow(root, fragment.slice(1).split("/"));
    anchors ??= collectAnchors(root);
    return anchors.get(fragment);
  };
}

function follow(root: object, segments: readonly string[]): unknown {
  let here: unknown = root;
  for (const segment of segments) {
    if (typeof here !== "object" || here === null) return undefined;
    const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    here = Object.getOwnPropertyDescriptor(here, key)?.value;
  }
  return here;
}

function collectAnchors(root: object): ReadonlyMap<string, object> {
  const anchors = new Map<string, object>();
  const waiting: object[] = [root];
  for (let here = waiting.pop(); here !== undefined; here = waiting.pop()) {
    if (isRecord(here)) {
      if (typeof here["$anchor"] === "string") anchors.set(here["$anchor"], here);
      if (typeof here["$dynamicAnchor"] === "string") anchors.set(here["$dynamicAnchor"], here);
    }
    for (const child of Object.values(here)) if (typeof child === "object" && child !== null) waiting.push(child);
  }
  return anchors;
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

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
