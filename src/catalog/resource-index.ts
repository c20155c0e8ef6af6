import type { Resource, ResourceTemplate } from "../mcp/messages/resources-and-prompts.ts";
import type { Source } from "./source.ts";

/** A source whose resources can be read. */
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

/** URIs pass through unchanged, so if two sources list the same one, the first answers it. */
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
  const onlySource = readable.length === 1 ? readable[0] : undefined;
  return {
    resources: Array.from(byUri.values(), ({ item }) => item),
    templates: Array.from(byTemplate.values(), ({ item }) => item),
    sourceOf(uri) {
      const listed = byUri.get(uri);
      if (listed !== undefined) return listed.source;
      for (const [template, { source }] of byTemplate) if (matchesTemplate(template, uri)) return source;
      // Results may link to unlisted resources. With a single source it is clear whose they are.
      return onlySource;
    },
    sourceOfTemplate: (uriTemplate) => byTemplate.get(uriTemplate)?.source,
  };
}

function isReadable(source: Source): source is ReadableSource {
  return source.readResource !== undefined;
}

type TemplatePiece = { readonly text: string } | { readonly reserved: boolean };

const longestUri = 8192;
const mostPieces = 64;

/**
 * Whether a URI can come from a template (RFC 6570). Literals must match, a `{name}` matches anything without the
 * characters it would have escaped, and the other operators match anything at all. Templates and URIs both come from
 * outside, so their lengths, and with them the work, are bounded.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  if (uri.length > longestUri || template.length > longestUri) return false;
  const pieces = piecesOf(template);
  if (pieces.length > mostPieces) return false;
  let reached = new Set([0]);
  for (const piece of pieces) {
    reached = "text" in piece ? afterText(piece.text, uri, reached) : afterExpression(piece.reserved, uri, reached);
    if (reached.size === 0) return false;
  }
  return reached.has(uri.length);
}

function piecesOf(template: string): TemplatePiece[] {
  return template.split(/(\{[^{}]*\})/).flatMap((part): TemplatePiece[] => {
    if (part === "") return [];
    if (!part.startsWith("{") || !part.endsWith("}")) return [{ text: part }];
    return [{ reserved: /^\{[+#./;?&]/.test(part) }];
  });
}

function afterText(text: string, uri: string, reached: ReadonlySet<number>): Set<number> {
  return new Set([...reached].filter((at) => uri.startsWith(text, at)).map((at) => at + text.length));
}

function afterExpression(reserved: boolean, uri: string, reached: ReadonlySet<number>): Set<number> {
  const next = new Set<number>();
  let open = false;
  for (let at = Math.min(...reached); at <= uri.length; at++) {
    open ||= reached.has(at);
    if (open) next.add(at);
    if (!reserved && "/?#".includes(uri[at] ?? "/")) open = false;
  }
  return next;
}
