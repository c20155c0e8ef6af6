import type { ServerResponse } from "node:http";
import { isRecord } from "../../core/is-record.ts";
import type { ToolResult } from "../../mcp/messages/tool.ts";
import type { ConsoleSession } from "./console-sessions.ts";
import { commonHeaders, sendPlain } from "./serve-page.ts";
import { createSecret } from "./sign-in-link.ts";

/** Images, sound and files of results, kept for a while so that the page can fetch them. */
export interface ResultMedia {
  /** The result with an address in place of each piece of media. */
  keep(result: ToolResult, session: ConsoleSession): ToolResult;
  serve(id: string, session: ConsoleSession, response: ServerResponse): void;
  clear(): void;
}

interface KeptMedia {
  readonly session: string;
  readonly type: string;
  readonly content: Buffer;
}

const maxBytes = 64 * 1024 * 1024;

export function createResultMedia(): ResultMedia {
  /** Oldest first. */
  const kept = new Map<string, KeptMedia>();
  let bytes = 0;

  function put(base64: string, type: unknown, session: ConsoleSession): { media: string; bytes: number } {
    const content = Buffer.from(base64, "base64");
    const id = createSecret();
    kept.set(id, { session: session.id, type: String(type), content });
    bytes += content.length;
    for (const [old, { content: its }] of kept) {
      if (bytes <= maxBytes || old === id) break;
      kept.delete(old);
      bytes -= its.length;
    }
    return { media: id, bytes: content.length };
  }

  function keepBlock(block: unknown, session: ConsoleSession): unknown {
    if (!isRecord(block)) return block;
    const { data, resource, ...rest } = block;
    if ((block["type"] === "image" || block["type"] === "audio") && typeof data === "string")
      return { ...rest, ...put(data, block["mimeType"], session) };
    if (!isRecord(resource) || typeof resource["blob"] !== "string") return block;
    const { blob, ...about } = resource;
    return { ...rest, resource: { ...about, ...put(blob, resource["mimeType"], session) } };
  }

  return {
    keep: (result, session) => ({
      ...result,
      content: result.content.map((block) => keepBlock(block, session)) as unknown as ToolResult["content"],
    }),
    serve(id, session, response) {
      const found = kept.get(id);
      if (found === undefined || found.session !== session.id)
        return sendPlain(response, 404, "This is no longer kept. Run the tool again.\n");
      const { type, content } = found;
      response.writeHead(200, {
        ...commonHeaders,
        // Even if a browser is made to open it, nothing in it can run.
        "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
        "content-type": safeTypes.test(type) ? type.toLowerCase() : "application/octet-stream",
        "content-disposition": "attachment",
        "content-length": content.length,
        "cache-control": "no-store",
      });
      response.end(content);
    },
    clear() {
      kept.clear();
      bytes = 0;
    },
  };
}

/** What a browser shows without running anything: no SVG. */
const safeTypes =
  /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|audio\/(?:mpeg|mp4|ogg|wav|x-wav|wave|webm|flac|aac)|video\/(?:mp4|webm|ogg))$/i;
