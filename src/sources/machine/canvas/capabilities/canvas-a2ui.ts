import { type Capability, invalidRequest } from "../../capability.ts";
import { parseA2ui } from "../a2ui/a2ui-messages.ts";
import type { CanvasPort } from "../canvas.ts";
import { callOf } from "./canvas-window.ts";

/** The same under two names. `readFile` reads a file in the folder for temporary files. */
export function a2uiPush(
  name: "canvas.a2ui.push" | "canvas.a2ui.pushJSONL",
  { canvas, probe }: CanvasPort,
  readFile: (path: string) => Promise<string>,
): Capability {
  return {
    name,
    title: "Show A2UI in the canvas",
    description:
      "Shows user interfaces that are described by A2UI 0.8, one JSON message a line: beginRendering, surfaceUpdate, dataModelUpdate, deleteSurface. Opens the canvas if it is closed. What the user enters and presses is in canvas.a2ui.dump.",
    risk: "write",
    consent: "always",
    input: {
      type: "object",
      properties: {
        jsonl: { type: "string", maxLength: 4_194_304, description: "The messages, one a line." },
        jsonlPath: {
          type: "string",
          maxLength: 4096,
          description: "A file with them in the folder for temporary files.",
        },
        props: { type: "object", description: "Has no effect." },
      },
      anyOf: [{ required: ["jsonl"] }, { required: ["jsonlPath"] }],
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        pushed: { type: "boolean" },
        messages: { type: "integer" },
        surfaces: { type: "array", items: { type: "string" } },
      },
      required: ["pushed"],
    },
    probe,
    async run({ jsonl, jsonlPath }, context) {
      if (jsonl !== undefined && jsonlPath !== undefined) throw invalidRequest("Give either `jsonl` or `jsonlPath`.");
      const messages = parseA2ui(typeof jsonl === "string" ? jsonl : await readFile(String(jsonlPath)));
      const surfaces = await (await canvas()).pushA2ui(messages, callOf(context));
      return { payload: { pushed: true, messages: messages.length, surfaces } };
    },
  };
}

export function a2uiReset({ canvas, probe }: CanvasPort): Capability {
  return {
    name: "canvas.a2ui.reset",
    title: "Clear A2UI",
    description: "Removes all surfaces that canvas.a2ui.push has shown.",
    risk: "write",
    consent: "always",
    input: { type: "object", properties: {}, additionalProperties: false },
    output: { type: "object", properties: { reset: { type: "boolean" } }, required: ["reset"] },
    probe,
    async run(_, context) {
      await (await canvas()).resetA2ui(callOf(context));
      return { payload: { reset: true } };
    },
  };
}

export function a2uiDump({ canvas, probe }: CanvasPort): Capability {
  return {
    name: "canvas.a2ui.dump",
    title: "Read A2UI back",
    description:
      "Returns the surfaces that canvas.a2ui.push has shown, with what the user has entered, and the latest buttons that the user has pressed. What is typed into obscured fields stays hidden.",
    risk: "sensitive-read",
    consent: "always",
    input: { type: "object", properties: {}, additionalProperties: false },
    output: {
      type: "object",
      properties: { surfaces: { type: "object" }, actions: { type: "array", items: { type: "object" } } },
      required: ["surfaces"],
    },
    probe,
    async run() {
      return { payload: { ...(await (await canvas()).dumpA2ui()) } };
    },
  };
}
