import type { Capability } from "../capability.ts";
import type { Clipboard } from "../clipboard.ts";

export function clipboardWrite(clipboard: Clipboard): Capability {
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
