import { type Place, type SchemaResource, type SchemaDocument, splitReference } from "./schema-document.ts";

/**
 * The resources that were entered on the way to a schema, as far as they matter: which schema each dynamic anchor
 * means there. Equal scopes are the same object.
 */
export interface Scope {
  readonly anchors: ReadonlyMap<string, Place>;
  readonly key: string;
}

export interface Scopes {
  readonly empty: Scope;
  /**
   * The scope inside a resource: the outermost resource that has an anchor decides what it means. Undefined if there are
   * too many scopes to tell apart.
   */
  enter(scope: Scope, resource: SchemaResource): Scope | undefined;
}

/** Anchors in all scopes together. Real schemas have a handful. */
const maxAnchors = 20_000;

/**
 * Resolves `$dynamicRef` while a schema is copied: a part is copied once for every scope it can be reached in, so that
 * the copy has plain references only. Without `$dynamicRef` there is one scope, and one copy.
 */
export function createScopes({ isDynamic }: SchemaDocument): Scopes {
  const empty: Scope = { anchors: new Map(), key: "" };
  const known = new Map([["", empty]]);
  const entered = new Map<Scope, Map<SchemaResource, Scope>>();
  let anchorCount = 0;

  function extend(scope: Scope, resource: SchemaResource): Scope | undefined {
    const added = [...resource.dynamicAnchors].filter(([name]) => !scope.anchors.has(name));
    anchorCount += resource.dynamicAnchors.size + (added.length === 0 ? 0 : scope.anchors.size);
    if (anchorCount > maxAnchors) return undefined;
    if (added.length === 0) return scope;
    const anchors = new Map(scope.anchors);
    for (const [name, schema] of added) anchors.set(name, { schema, resource });
    const meanings = [...anchors].map(([name, place]) => JSON.stringify([name, place.resource.number]));
    const key = meanings.toSorted((a, b) => (a < b ? -1 : 1)).join();
    const same = known.get(key) ?? { anchors, key };
    known.set(key, same);
    return same;
  }

  return {
    empty,
    enter(scope, resource) {
      if (!isDynamic || resource.dynamicAnchors.size === 0) return scope;
      const fromHere = entered.get(scope) ?? new Map<SchemaResource, Scope>();
      entered.set(scope, fromHere);
      const next = fromHere.get(resource) ?? extend(scope, resource);
      if (next !== undefined) fromHere.set(resource, next);
      return next;
    },
  };
}

/** What a `$dynamicRef` means in a scope, given where it leads as a plain reference. */
export function followDynamically(reference: string, plain: Place, scope: Scope): Place {
  const [, fragment] = splitReference(reference);
  if (fragment === undefined || plain.resource.dynamicAnchors.get(fragment) !== plain.schema) return plain;
  return scope.anchors.get(fragment) ?? plain;
}
