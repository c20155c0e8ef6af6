import type { Resource, ResourceTemplate } from "../mcp/resource.ts";
import type { Source } from "./tool-source.ts";
import { matchesTemplate } from "./uri-template.ts";

/** A source that can be read from. */
export type ReadableSource = Source & Required<Pick<Source, "readResource">>;

export interface ResourceIndex {
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  /** The source that answers for a URI: the first that lists it, else the first with a template for it. */
  sourceOf(uri: string): ReadableSource | undefined;
  /** The source that listed this very template. */
  sourceOfTemplate(uriTemplate: string): ReadableSource | undefined;
}

export const noResources: ResourceIndex = {
  resources: [],
  templates: [],
  sourceOf: () => undefined,
  sourceOfTemplate: () => undefined,
};

/** URIs pass through untouched, so of two sources that list the same one the first answers it. */
export function indexResources(sources: readonly Source[]): ResourceIndex {
  const readable = sources.filter(isReadable);
  if (readable.length === 0) return noResources;
  const byUri = new Map<string, { source: ReadableSource; item: Resource }>();
  const byTemplate = new Map<string, { source: ReadableSource; item: ResourceTemplate }>();
  for (const source of readable) {
    for (const item of source.resources?.() ?? []) if (!byUri.has(item.uri)) byUri.set(item.uri, { source, item });
    for (const item of source.resourceTemplates?.() ?? []) {
      if (!byTemplate.has(item.uriTemplate)) byTemplate.set(item.uriTemplate, { source, item });
    }
  }
  const byOnlyOne = readable.length === 1 ? readable[0] : undefined;
  return {
    resources: Array.from(byUri.values(), ({ item }) => item),
    templates: Array.from(byTemplate.values(), ({ item }) => item),
    sourceOf(uri) {
      const listed = byUri.get(uri);
      if (listed !== undefined) return listed.source;
      for (const [template, { source }] of byTemplate) if (matchesTemplate(template, uri)) return source;
      // Results may link to resources that no list mentions; with a single source there is no doubt whose they are.
      return byOnlyOne;
    },
    sourceOfTemplate: (uriTemplate) => byTemplate.get(uriTemplate)?.source,
  };
}

function isReadable(source: Source): source is ReadableSource {
  return source.readResource !== undefined;
}
