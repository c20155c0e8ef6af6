import { expect, test } from "vitest";
import { orderTool } from "./order-tool.ts";

/** The published definition, letter for letter. */
const published = `{
  "name": "order_openclaw",
  "description": "Send a message to OpenClaw and receive a response. The message will be processed as if typed by a user. Supports sending images, files (PDF, text, markdown, CSV, JSON), audio, video, and archives (ZIP, TAR.GZ) via base64 encoding.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "message": {
        "type": "string",
        "description": "The message to send to OpenClaw"
      },
      "sessionKey": {
        "type": "string",
        "description": "Optional session key for conversation continuity"
      },
      "images": {
        "type": "array",
        "description": "Optional base64-encoded images (max 10, 15MB each)",
        "items": {
          "type": "object",
          "properties": {
            "data": { "type": "string", "description": "Base64-encoded image data" },
            "mimeType": { "type": "string", "description": "MIME type (e.g., 'image/png')" },
            "filename": { "type": "string", "description": "Optional filename" }
          },
          "required": ["data", "mimeType"]
        }
      },
      "files": {
        "type": "array",
        "description": "Optional base64-encoded files (max 5, 15MB each)",
        "items": {
          "type": "object",
          "properties": {
            "data": { "type": "string", "description": "Base64-encoded file data" },
            "mimeType": { "type": "string", "description": "MIME type (e.g., 'application/pdf')" },
            "filename": { "type": "string", "description": "Optional filename" }
          },
          "required": ["data", "mimeType"]
        }
      }
    },
    "required": ["message"]
  }
}`;

test("name, description and input schema are the published ones", () => {
  const { name, description, inputSchema } = orderTool;
  expect(JSON.stringify({ name, description, inputSchema })).toBe(JSON.stringify(JSON.parse(published)));
});
