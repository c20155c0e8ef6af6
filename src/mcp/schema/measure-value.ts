export interface ValueBounds {
  readonly depth: number;
  readonly nodes: number;
}

/** Counts the values within a JSON value, up to the bounds. Iterative, so that depth uses memory and not the stack. */
export function measureValue(value: unknown, bounds: ValueBounds): "too deep" | "too large" | number {
  if (typeof value !== "object" || value === null) return 1;
  let level: object[] = [value];
  let nodes = 1;
  for (let depth = 0; level.length > 0; depth++) {
    const below: object[] = [];
    for (const parent of level) {
      const children: readonly unknown[] = Array.isArray(parent) ? parent : Object.values(parent);
      nodes += children.length;
      if (nodes > bounds.nodes) return "too large";
      for (const child of children) if (typeof child === "object" && child !== null) below.push(child);
    }
    if (below.length > 0 && depth >= bounds.depth) return "too deep";
    level = below;
  }
  return nodes;
}

/** Every object and array counts for the depth, so a nested field costs two. */
export const schemaBounds: ValueBounds = { depth: 128, nodes: 20_000 };

/** The length of a string as JSON Schema counts it: in code points, not in UTF-16 units. */
export function countCharacters(text: string): number {
  let pairs = 0;
  for (let index = 0; index < text.length; index++) if ((text.codePointAt(index) ?? 0) > 0xffff) pairs++;
  return text.length - pairs;
}
