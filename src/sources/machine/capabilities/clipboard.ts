import { isFault } from "../../../core/fault.ts";
import { type Capability, CapabilityFault } from "../capability.ts";
import type { Clipboard } from "../clipboard.ts";

/** `clipboard.*`. */
export const clipboardCapabilities = (clipboard: Clipboard): readonly Capability[] => [
  clipboardRead(clipboard),
  clipboardWrite(clipboard),
];

function clipboardRead(clipboard: Clipboard): Capability {
  return {
    name: "clipboard.read",
    title: "Read the clipboard",
    description: "Returns the text or the image in the clipboard of this computer.",
    risk: "sensitive-read",
    consent: "ask",
    input: {
      type: "object",
      properties: {
        format: { type: "string", enum: ["text", "image"], default: "text" },
        maxBytes: {
          type: "integer",
          minimum: 1,
          maximum: 4_194_304,
          default: 262_144,
          description: "Longer text is cut.",
        },
      },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        format: { type: "string", enum: ["text", "image"] },
        text: { type: "string" },
        mimeType: { type: "string" },
        truncated: { type: "boolean" },
        empty: { type: "boolean" },
      },
      required: ["format", "empty"],
    },
    probe: () => clipboard.probe(),
    async run({ format = "text", maxBytes = 262_144 }, { signal }) {
      const limit = Number(maxBytes);
      try {
        return format === "image"
          ? await readImage(clipboard, limit, signal)
          : await readText(clipboard, limit, signal);
      } catch (error) {
        if (!isFault(error, "denied")) throw error;
        throw new CapabilityFault("CONSENT_DENIED", error.message, { code: "denied", cause: error });
      }
    },
  };
}

async function readText(clipboard: Clipboard, maxBytes: number, signal: AbortSignal) {
  const { data, truncated } = await clipboard.readText(maxBytes, signal);
  if (data === undefined) return { payload: { format: "text", empty: true }, text: "The clipboard holds no text." };
  // A cut may fall inside a character.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(data, { stream: truncated });
  return { payload: { format: "text", text, truncated, empty: false }, text };
}

async function readImage(clipboard: Clipboard, maxBytes: number, signal: AbortSignal) {
  const { data, truncated } = await clipboard.readImage(maxBytes, signal);
  if (data === undefined) return { payload: { format: "image", empty: true }, text: "The clipboard holds no image." };
  if (truncated)
    throw new CapabilityFault("PAYLOAD_TOO_LARGE", `The image is larger than ${maxBytes} bytes. Raise \`maxBytes\`.`, {
      code: "too-large",
    });
  const mimeType = "image/png";
  return {
    payload: { format: "image", mimeType, truncated: false, empty: false },
    text: `An image of ${data.length} bytes (${mimeType}).`,
    media: [{ type: "image" as const, data: data.toString("base64"), mimeType }],
  };
}

function clipboardWrite(clipboard: Clipboard): Capability {
  return {
    name: "clipboard.write",
    title: "Write to the clipboard",
    description: "Replaces what is in the clipboard of this computer with a text.",
    risk: "write",
    // What is pasted next, perhaps into a terminal, must not be a caller's choice alone.
    consent: "ask",
    annotations: { idempotentHint: true },
    input: {
      type: "object",
      properties: { text: { type: "string", maxLength: 1_048_576 } },
      required: ["text"],
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: { written: { type: "boolean" }, bytes: { type: "integer", minimum: 0 } },
      required: ["written"],
    },
    probe: () => clipboard.probe(),
    async run({ text }, { signal }) {
      await clipboard.writeText(String(text), signal);
      return { payload: { written: true, bytes: Buffer.byteLength(String(text)) } };
    },
  };
}
