import { isRecord } from "../../core/is-record.ts";
import type { OpenClawToolResult, ResultBlock, ToolResultEvent } from "../openclaw-api.ts";

/** An image inside the JSON that Tool Search makes of a whole result. */
const imageText = /"type": "image",\s+"data": "([A-Za-z0-9+/=]+)",\s+"mimeType": "([^"\\]+)"/g;

/**
 * Tool Search turns the result of a tool into text, so that the model would get an image as base64. Takes the images of
 * our servers out of the text and attaches them.
 */
export function attachImages(
  { toolName, result }: ToolResultEvent,
  isOurEntry: (entry: string) => boolean,
): OpenClawToolResult | undefined {
  if (toolName !== "tool_call" || !isOurEntry(serverOf(result.details))) return undefined;
  const images: ResultBlock[] = [];
  const content = result.content.map((block) => {
    if (block.type !== "text" || block.text === undefined) return block;
    const text = block.text.replaceAll(imageText, (_, data: string, mimeType: string) => {
      images.push({ type: "image", data, mimeType });
      return `"type": "image", "data": "(attached)", "mimeType": "${mimeType}"`;
    });
    return { ...block, text };
  });
  return images.length === 0 ? undefined : { ...result, content: [...content, ...images] };
}

/** Whose tool was called: `details.tool.mcp.serverName`. */
function serverOf(details: unknown): string {
  const tool = isRecord(details) ? details["tool"] : undefined;
  const mcp = isRecord(tool) ? tool["mcp"] : undefined;
  const name = isRecord(mcp) ? mcp["serverName"] : undefined;
  return typeof name === "string" ? name : "";
}
