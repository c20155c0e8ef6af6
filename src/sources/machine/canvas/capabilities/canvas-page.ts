import type { Capability } from "../../capability.ts";
import type { MediaStore } from "../../desktop/media-store.ts";
import type { CanvasPort } from "../canvas.ts";
import { callOf } from "./canvas-window.ts";

const script = { type: "string", minLength: 1, maxLength: 1_048_576 };

export function canvasEval({ canvas, probe }: CanvasPort): Capability {
  return {
    name: "canvas.eval",
    title: "Run JavaScript in the canvas",
    description:
      "Runs JavaScript in the page that the canvas shows, and returns its value as JSON. `await` works. The script can do what the page can: read what the user typed there, and talk to the trusted origins.",
    risk: "write",
    consent: "session",
    annotations: { openWorldHint: true },
    input: {
      type: "object",
      properties: {
        script,
        javaScript: { ...script, description: "The same as `script`." },
        javascript: { ...script, description: "The same as `script`." },
        timeoutMs: { type: "integer", minimum: 100, maximum: 60_000, default: 10_000 },
      },
      anyOf: [{ required: ["script"] }, { required: ["javaScript"] }, { required: ["javascript"] }],
      additionalProperties: false,
    },
    output: { type: "object", properties: { result: { description: "At most 1 MiB as JSON." } } },
    probe,
    async run(args, context) {
      const { script: code = args["javaScript"] ?? args["javascript"], timeoutMs = 10_000 } = args;
      const result = await (await canvas()).evaluate(String(code), Number(timeoutMs), callOf(context));
      return { payload: { result: result ?? null } };
    },
  };
}

export function canvasSnapshot({ canvas, probe }: CanvasPort, store: Pick<MediaStore, "keepPicture">): Capability {
  return {
    name: "canvas.snapshot",
    title: "Take a picture of the canvas",
    description: "Returns a picture of the page that the canvas shows.",
    risk: "sensitive-read",
    consent: "always",
    input: {
      type: "object",
      properties: {
        format: { type: "string", enum: ["png", "jpeg", "jpg"], default: "png" },
        maxWidth: {
          type: "integer",
          minimum: 32,
          maximum: 7680,
          default: 1200,
          description: "Wider pictures are scaled down.",
        },
        quality: {
          type: "number",
          exclusiveMinimum: 0,
          maximum: 100,
          description: "Of JPEG: up to 1 a fraction, above it percent.",
        },
        fullPage: { type: "boolean", default: false, description: "Also what is not in view." },
      },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        format: { type: "string", enum: ["png", "jpeg"] },
        width: { type: "integer" },
        height: { type: "integer" },
      },
      required: ["format"],
    },
    probe,
    async run({ format: asked = "png", maxWidth = 1200, quality = 0.8, fullPage = false }, context) {
      const fraction = Number(quality) > 1 ? Number(quality) / 100 : Number(quality);
      const format = asked === "png" ? "png" : "jpeg";
      const options = { format, maxWidth: Number(maxWidth), quality: fraction, fullPage: fullPage === true } as const;
      const { base64, width, height } = await (await canvas()).snapshot(options, callOf(context));
      const mimeType = `image/${format}`;
      const picture = { data: Buffer.from(base64, "base64"), mimeType, title: "The canvas" };
      return {
        payload: { format, width, height },
        text: `A picture of ${width} x ${height} pixels (${mimeType}).`,
        media: store.keepPicture(picture, context.caller),
      };
    },
  };
}
