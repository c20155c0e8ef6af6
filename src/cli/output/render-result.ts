import { countText } from "../../core/text/count-text.ts";
import { jsonText, sanitizeForTerminal, sanitizeLine } from "../../core/text/peer-text.ts";
import type { World } from "../../core/process/world.ts";
import type { ContentBlock, ToolResult } from "../../mcp/messages/tool.ts";
import { type Media, mediaBaseName, saveResultMedia } from "./save-media.ts";

export interface ResultRenderOptions extends Pick<World, "stdout" | "env"> {
  readonly tool: string;
  /** Where media are saved. */
  readonly folder: string;
  readonly at: Date;
}

export interface RenderedResult {
  /** The result with file paths in place of the media's data. */
  readonly data: unknown;
  readonly text: string;
}

/** Renders a tool's result for a terminal: text as it is, media as files, by their path. */
export async function renderResult(result: ToolResult, options: ResultRenderOptions): Promise<RenderedResult> {
  const baseName = mediaBaseName(options.tool, options.at);
  let number = 0;
  const blocks: { readonly data: unknown; readonly text: string }[] = [];
  for (const block of result.content ?? []) {
    const media = mediaOf(block);
    if (media === undefined) blocks.push({ data: block, text: textOf(block, options) });
    else blocks.push(await renderMedia(block, media, options, baseName, ++number));
  }
  const { structuredContent } = result;
  const texts = blocks.map(({ text }) => text).filter((text) => text !== "");
  const isAlone = texts.length === 0 && structuredContent !== undefined;
  return {
    data: { ...result, content: blocks.map(({ data }) => data) },
    text: isAlone ? jsonText(structuredContent, 2) : texts.join("\n"),
  };
}

async function renderMedia(
  block: ContentBlock,
  media: Media,
  options: ResultRenderOptions,
  baseName: string,
  number: number,
) {
  const saved = await saveResultMedia(media, options.folder, baseName, number);
  const kind = sanitizeLine(media.mimeType ?? "application/octet-stream");
  const inline = block.type === "image" ? inlineImage(media.base64, block.mimeType, options) : undefined;
  const fileLine = `${saved.file} (${kind}, ${countText(saved.bytes, "byte")})`;
  return { data: withoutData(block, saved), text: inline === undefined ? fileLine : `${inline}\n${fileLine}` };
}

function mediaOf(block: ContentBlock): Media | undefined {
  if (block.type === "image" || block.type === "audio") return { base64: block.data, mimeType: block.mimeType };
  if (block.type !== "resource" || block.resource?.blob === undefined) return undefined;
  const { blob, mimeType, uri } = block.resource;
  return { base64: blob, mimeType, uri };
}

function withoutData(block: ContentBlock, saved: object): unknown {
  if (block.type !== "resource") return { ...block, data: undefined, ...saved };
  return { ...block, resource: { ...block.resource, blob: undefined, ...saved } };
}

function textOf(block: ContentBlock, { stdout }: ResultRenderOptions): string {
  const safe = (text: string): string => sanitizeForTerminal(text, stdout);
  switch (block.type) {
    case "text":
      return safe(block.text);
    case "resource":
      return safe(block.resource?.text ?? block.resource?.uri ?? "");
    case "resource_link":
      return safe(block.title ?? block.name) + safe(` <${block.uri}>`);
    default:
      // A kind of a later revision.
      return jsonText(block);
  }
}

/** The escape sequence that shows an image in this terminal; undefined if it can't show images or is not a terminal. */
function inlineImage(
  base64: string,
  mimeType: string,
  { stdout, env }: Pick<World, "stdout" | "env">,
): string | undefined {
  if (stdout.isTTY !== true) return undefined;
  const protocol = findProtocol(env);
  if (protocol === "iterm") {
    const size = Math.floor((base64.length * 3) / 4);
    return `\u001B]1337;File=inline=1;size=${size};preserveAspectRatio=1:${base64}\u0007`;
  }
  // The kitty protocol takes PNG as it is; other formats would have to be decoded first.
  return protocol === "kitty" && mimeType === "image/png" ? kittySequence(base64) : undefined;
}

/** Terminals announce themselves in the environment. Neither protocol works inside tmux and screen. */
function findProtocol(env: World["env"]): "iterm" | "kitty" | undefined {
  const { TMUX, STY, TERM = "", TERM_PROGRAM = "", KITTY_WINDOW_ID } = env;
  if (TMUX || STY || /^(?:screen|tmux)/.test(TERM)) return undefined;
  if (TERM_PROGRAM === "iTerm.app" || TERM_PROGRAM === "WezTerm" || env["LC_TERMINAL"] === "iTerm2") return "iterm";
  if (KITTY_WINDOW_ID || TERM === "xterm-kitty" || TERM === "xterm-ghostty" || TERM_PROGRAM === "ghostty")
    return "kitty";
  return undefined;
}

/** Sent in pieces of at most 4096 characters; `m=1` means that more follow. */
function kittySequence(base64: string): string {
  const pieces = base64.match(/.{1,4096}/gs) ?? [];
  return pieces
    .map((piece, index) => {
      const control = `${index === 0 ? "f=100,a=T," : ""}m=${index < pieces.length - 1 ? 1 : 0}`;
      return `\u001B_G${control};${piece}\u001B\\`;
    })
    .join("");
}
