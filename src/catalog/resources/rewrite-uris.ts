import { isRecord } from "../../core/is-record.ts";
import type { Tool } from "../../mcp/messages/tool.ts";

/** The form in which a URI is shown to the caller. */
export type ShowUri = (uri: string) => string;

type Meta = Readonly<Record<string, unknown>>;

/** Keys of `_meta` whose value is the URI of a page that shows the tool's result: two older forms of `ui.resourceUri`. */
const flatUiKeys = ["ui/resourceUri", "openai/outputTemplate"] as const;

/** The pages that a tool names in `_meta` (MCP Apps). They need not be in any list. */
export function uiUrisOf({ _meta: meta }: Tool): readonly string[] {
  if (!isRecord(meta)) return none;
  const found: string[] = [];
  if (isRecord(meta.ui) && typeof meta.ui.resourceUri === "string") found.push(meta.ui.resourceUri);
  for (const key of flatUiKeys) {
    const uri = meta[key];
    if (typeof uri === "string") found.push(uri);
  }
  return found;
}

const none: readonly string[] = [];

/** The same tool if none of its URIs is shown in another form. */
export function rewriteTool(tool: Tool, show: ShowUri): Tool {
  const meta = rewriteMeta(tool._meta, show);
  return meta === tool._meta ? tool : { ...tool, _meta: meta as NonNullable<Tool["_meta"]> };
}

/**
 * The result of a call, a read, a prompt or a directory with its URIs as they are shown: in links, in resources and in `_meta`. It comes
 * from a server, so nothing about its shape is certain. It is the same object if no URI changes.
 */
export function rewriteResult<T extends object>(result: T, show: ShowUri): T {
  const { content, contents, messages, resources, _meta: meta } = result as Readonly<Record<string, unknown>>;
  return withChanges(result, {
    content: mapArray(content, (block) => rewriteBlock(block, show)),
    contents: mapArray(contents, (each) => rewriteUri(each, show)),
    resources: mapArray(resources, (each) => rewriteUri(each, show)),
    messages: mapArray(messages, (message) =>
      isRecord(message) ? withChanges(message, { content: rewriteBlock(message.content, show) }) : message,
    ),
    _meta: rewriteMeta(meta, show),
  });
}

function rewriteBlock(block: unknown, show: ShowUri): unknown {
  if (!isRecord(block)) return block;
  if (block.type === "resource_link") return rewriteUri(block, show);
  return block.type === "resource" ? withChanges(block, { resource: rewriteUri(block.resource, show) }) : block;
}

function rewriteUri(item: unknown, show: ShowUri): unknown {
  return isRecord(item) && typeof item.uri === "string" ? withChanges(item, { uri: show(item.uri) }) : item;
}

function rewriteMeta(meta: unknown, show: ShowUri): unknown {
  if (!isRecord(meta)) return meta;
  const { ui } = meta;
  const changes: Record<string, unknown> = {};
  if (isRecord(ui) && typeof ui.resourceUri === "string")
    changes.ui = withChanges(ui, { resourceUri: show(ui.resourceUri) });
  for (const key of flatUiKeys) {
    const uri = meta[key];
    if (typeof uri === "string") changes[key] = show(uri);
  }
  return withChanges(meta, changes);
}

function mapArray(list: unknown, map: (item: unknown) => unknown): unknown {
  if (!Array.isArray(list)) return list;
  let changed: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const mapped = map(item);
    if (mapped !== item) (changed ??= [...list])[index] = mapped;
  }
  return changed ?? list;
}

function withChanges<T extends object>(item: T, changes: Meta): T {
  const current = item as Meta;
  for (const key in changes) if (changes[key] !== current[key]) return { ...item, ...definedOf(changes) };
  return item;
}

function definedOf(changes: Meta): Meta {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
