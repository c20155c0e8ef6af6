import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../core/thrown.ts";
import type { ContentBlock } from "../mcp/content.ts";
import { extensionOf, safeName } from "../sources/agent/safe-name.ts";

type MediaBlock = Exclude<ContentBlock, { readonly type: "text" }>;

/** Puts what is no text into a file of its own, readable by its owner alone and never over one that is there; says where. */
export async function saveBlock(block: MediaBlock, folder: string): Promise<string> {
  if (block.type === "resource_link") return `[${block.name}: ${block.uri}]`;
  const { name, data } = contentOf(block);
  for (let n = 1; ; n++) {
    const path = join(folder, n === 1 ? name : name.replace(/(\.[^.]*)?$/, `-${n}$1`));
    try {
      await writeFile(path, data, { mode: 0o600, flag: "wx" });
      return `[saved ${path}]`;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

function contentOf(block: Exclude<MediaBlock, { readonly type: "resource_link" }>): { name: string; data: Buffer } {
  if (block.type !== "resource") {
    return { name: `answer.${extensionOf(block.mimeType)}`, data: Buffer.from(block.data, "base64") };
  }
  const { uri, blob, text = "", mimeType = "" } = block.resource;
  const name = safeName(decodeURIComponent(uri.replace(/^attachment:\/\//, "")), `answer.${extensionOf(mimeType)}`);
  return { name, data: blob === undefined ? Buffer.from(text) : Buffer.from(blob, "base64") };
}
