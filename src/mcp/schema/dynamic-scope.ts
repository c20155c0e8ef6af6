import { type Place, type Resource, type SchemaDocument, splitReference } from "./schema-document.ts";

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
  /** The scope inside a resource: the outermost resource that has an anchor decides what it means. */
  enter(scope: Scope, resource: Resource): Scope;
}

/**
 * Resolves `$dynamicRef` while a schema is copied: a part is copied once for every scope it can be reached in, so that
 * the copy has plain references only. Without `$dynamicRef` there is one scope, and one copy.
 */
export function createScopes({ isDynamic }: SchemaDocument): Scopes {
  const empty: Scope = { anchors: new Map(), key: "" };
  const known = new Map([["", empty]]);
  return {
    empty,
    enter(scope, resource) {
      if (!isDynamic) return scope;
      const added = [...resource.dynamicAnchors].filter(([name]) => !scope.anchors.has(name));
      if (added.length === 0) return scope;
      const anchors = new Map(scope.anchors);
      for (const [name, schema] of added) anchors.set(name, { schema, resource });
      const meanings = [...anchors].map(([name, place]) => JSON.stringify([name, place.resource.number]));
      const key = meanings.toSorted((a, b) => (a < b ? -1 : 1)).join();
      const entered = known.get(key) ?? { anchors, key };
      known.set(key, entered);
      return entered;
    },
  };
}

/** What a `$dynamicRef` means in a scope, given where it leads as a plain reference. */
export function followDynamically(reference: string, plain: Place, scope: Scope): Place {
  const [, fragment] = splitReference(reference);
  if (fragment === undefined || plain.resource.dynamicAnchors.get(fragment) !== plain.schema) return plain;
  return scope.anchors.get(fragment) ?? plain;
}
