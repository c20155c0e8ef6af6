import { isRecord } from "../../core/is-record.ts";

/**
 * Finds what a reference within one document points at: a JSON pointer (RFC 6901) or the name of an anchor. Without
 * `$id` below the root a document is one schema resource, and there `$dynamicAnchor` is no more than `$anchor`.
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
