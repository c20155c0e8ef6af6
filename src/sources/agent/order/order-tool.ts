import type { Tool } from "../../../mcp/messages/tool.ts";

function mediaItem(kind: string, example: string) {
  return {
    type: "object",
    properties: {
      data: { type: "string", description: `Base64-encoded ${kind} data` },
      mimeType: { type: "string", description: `MIME type (e.g., '${example}')` },
      filename: { type: "string", description: "Optional filename" },
    },
    required: ["data", "mimeType"],
  };
}

/** Name, description and input schema are published: clients rely on every letter. */
export const orderTool: Tool = {
  name: "order_openclaw",
  title: "Order OpenClaw",
  description:
    "Send a message to OpenClaw and receive a response. The message will be processed as if typed by a user. Supports sending images, files (PDF, text, markdown, CSV, JSON), audio, video, and archives (ZIP, TAR.GZ) via base64 encoding.",
  inputSchema: {
    type: "object",
    properties: {
      message: { type: "string", description: "The message to send to OpenClaw" },
      sessionKey: { type: "string", description: "Optional session key for conversation continuity" },
      images: {
        type: "array",
        description: "Optional base64-encoded images (max 10, 15MB each)",
        items: mediaItem("image", "image/png"),
      },
      files: {
        type: "array",
        description: "Optional base64-encoded files (max 5, 15MB each)",
        items: mediaItem("file", "application/pdf"),
      },
    },
    required: ["message"],
  },
  annotations: {
    title: "Order OpenClaw",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
};
