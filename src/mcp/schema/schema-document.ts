import { isRecord } from "../../core/is-record.ts";
import { schemaKeywords } from "./schema-keywords.ts";

/** A schema resource: the document itself, or a part of it that has an address of its own (`$id`). */
export interface SchemaResource {
  readonly number: number;
  readonly root: object;
  readonly address: string;
  readonly outer: SchemaResource | undefined;
  readonly anchors: Map<string, object>;
  readonly dynamicAnchors: Map<string, object>;
}

/** A part of the document, with the resource that its references are relative to. */
export interface Place {
  readonly schema: unknown;
  readonly resource: SchemaResource;
}

export interface SchemaDocument {
  readonly main: SchemaResource;
  /** Whether the document has a `$dynamicRef`, so that what a part means can depend on how it was reached. */
  readonly isDynamic: boolean;
  /** The resource that a schema belongs to, or undefined for what is no schema (a value in an `enum`, an unknown word). */
  resourceOf(schema: object): SchemaResource | undefined;
  /** The target of a reference. "elsewhere" if it is in another document, undefined if there is none. */
  find(reference: string, from: SchemaResource): Place | "elsewhere" | undefined;
}

/** The address of a document without one. Relative references resolve against it, nothing is ever fetched. */
const noAddress = "schema:///";

/** Every part with an `$id` has an address that begins like the one around it: without a bound they multiply. */
const maxAddressLength = 2000;

/** Indexes the addresses and anchors of a document, in schemas only: an `$id` inside an `enum` is a mere value. */
export function indexDocument(root: Readonly<Record<string, unknown>>): SchemaDocument {
  const owners = new Map<object, SchemaResource>();
  const byAddress = new Map<string, SchemaResource>();
  let isDynamic = false;
  let resources = 0;

  function createResource(schema: object, address: string, outer: SchemaResource | undefined): SchemaResource {
    const maps = { anchors: new Map<string, object>(), dynamicAnchors: new Map<string, object>() };
    const resource = { number: resources++, root: schema, address, outer, ...maps };
    if (!byAddress.has(address)) byAddress.set(address, resource);
    return resource;
  }

  function ownerOf(schema: Readonly<Record<string, unknown>>, outer: SchemaResource | undefined): SchemaResource {
    const id = schema["$id"];
    const [path, anchor] = typeof id === "string" ? splitReference(id) : ["", undefined];
    const base = outer?.address ?? noAddress;
    // What is in it can still refer to itself, but nothing else to it.
    const address = isTooLong(path, base) ? `schema://${resources}/` : path === "" ? undefined : resolve(path, base);
    if (outer !== undefined && address === undefined) {
      // Drafts before 2019-09 wrote an anchor as `$id: "#name"`.
      if (anchor !== undefined && anchor !== "") outer.anchors.set(anchor, schema);
      return outer;
    }
    return createResource(schema, address ?? noAddress, outer);
  }

  const main = ownerOf(root, undefined);
  const waiting: [schema: Readonly<Record<string, unknown>>, owner: SchemaResource][] = [[root, main]];
  owners.set(root, main);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [schema, owner] = next;
    const { $anchor, $dynamicAnchor, $dynamicRef } = schema;
    if (typeof $anchor === "string") owner.anchors.set($anchor, schema);
    if (typeof $dynamicAnchor === "string") owner.dynamicAnchors.set($dynamicAnchor, schema);
    if (typeof $dynamicRef === "string") isDynamic = true;
    for (const part of partsOf(schema)) {
      if (owners.has(part)) continue;
      const partOwner = ownerOf(part, owner);
      owners.set(part, partOwner);
      waiting.push([part, partOwner]);
    }
  }

  function findResource(path: string, from: SchemaResource): SchemaResource | undefined {
    if (path === "") return from;
    const address = resolve(path, from.address);
    if (address === undefined) return undefined;
    // Generated schemas reuse addresses such as "T0": the nearest one around the reference is meant.
    for (let around: SchemaResource | undefined = from; around !== undefined; around = around.outer)
      if (around.address === address) return around;
    return byAddress.get(address);
  }

  function follow(start: SchemaResource, pointer: string): Place | undefined {
    let here: unknown = start.root;
    let resource = start;
    for (const segment of pointer.split("/")) {
      if (typeof here !== "object" || here === null) return undefined;
      const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
      here = Object.getOwnPropertyDescriptor(here, key)?.value;
      if (typeof here === "object" && here !== null) resource = owners.get(here) ?? resource;
    }
    return here === undefined ? undefined : { schema: here, resource };
  }

  return {
    main,
    isDynamic,
    resourceOf: (schema) => owners.get(schema),
    find(reference, from) {
      const [path, fragment] = splitReference(reference);
      const resource = findResource(path, from);
      if (resource === undefined) return "elsewhere";
      if (fragment === undefined) return undefined;
      if (fragment === "") return { schema: resource.root, resource };
      if (fragment.startsWith("/")) return follow(resource, fragment.slice(1));
      const schema = resource.anchors.get(fragment) ?? resource.dynamicAnchors.get(fragment);
      return schema === undefined ? undefined : { schema, resource };
    },
  };
}

/** The schemas directly within a schema, also those that only references reach. */
function partsOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  const parts: unknown[] = [];
  for (const [word, value] of Object.entries(schema)) {
    if (typeof value !== "object" || value === null) continue;
    const shape = word === "$defs" || word === "definitions" ? "schema map" : schemaKeywords.get(word)?.shape;
    if (shape === "schema map" || shape === "needs map") parts.push(...Object.values(value));
    else if (shape !== undefined && shape !== "data") parts.push(...(Array.isArray(value) ? value : [value]));
  }
  return parts.filter(isRecord);
}

/** The part before the `#`, and the decoded part after it: empty if there is none, undefined if it can't be decoded. */
export function splitReference(reference: string): [path: string, fragment: string | undefined] {
  const mark = reference.indexOf("#");
  if (mark === -1) return [reference, ""];
  try {
    return [reference.slice(0, mark), decodeURIComponent(reference.slice(mark + 1))];
  } catch {
    return [reference.slice(0, mark), undefined];
  }
}

function isTooLong(path: string, base: string): boolean {
  return path.length + base.length > maxAddressLength;
}

function resolve(path: string, base: string): string | undefined {
  if (isTooLong(path, base)) return undefined;
  return URL.canParse(path, base) ? new URL(path, base).href : undefined;
}
