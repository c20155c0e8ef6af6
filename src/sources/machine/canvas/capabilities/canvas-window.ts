import type { Machine } from "../../machine.ts";
import { asRecord } from "../../../../core/is-record.ts";
import {
  type Capability,
  type CapabilityArgs,
  type CapabilityContext,
  CapabilityFault,
  invalidRequest,
} from "../../capability.ts";
import type { CanvasCall, CanvasPort } from "../canvas.ts";
import type { TrustedOrigins } from "../proxy/trusted-origins.ts";

const side = { type: "integer", minimum: 100, maximum: 7680 };
const corner = { type: "integer", minimum: -1, maximum: 16_384 };

export function canvasPresent({ canvas, probe }: CanvasPort): Capability {
  return {
    name: "canvas.present",
    title: "Show a page",
    description:
      "Opens the canvas, a browser window of its own, and shows HTML or a page of a trusted origin in it. There is one canvas: what it showed before is replaced. Without either it shows again what is in it. Pages reach the trusted origins only.",
    risk: "write",
    consent: "always",
    annotations: { openWorldHint: true },
    input: {
      type: "object",
      properties: {
        url: {
          type: "string",
          minLength: 1,
          maxLength: 8192,
          description: "A page of a trusted origin; canvas.caps lists them.",
        },
        html: { type: "string", maxLength: 4_194_304, description: "A page to show, instead of `url`." },
        width: { ...side, description: "800 unless given." },
        height: { ...side, description: "600 unless given." },
        x: { ...corner, description: "From the left edge of the screen; -1 leaves it to the desktop." },
        y: { ...corner, description: "From the top edge of the screen." },
        placement: {
          type: "object",
          properties: {
            x: { type: "number" },
            y: { type: "number" },
            width: { type: "number" },
            height: { type: "number" },
          },
          additionalProperties: false,
          description: "The same as `x`, `y`, `width` and `height`.",
        },
        title: { type: "string", maxLength: 200, description: "The title of the window." },
        alwaysOnTop: { type: "boolean", description: "Has no effect on this system." },
      },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        presented: { type: "boolean" },
        url: { type: "string" },
        windowed: { type: "boolean", description: "False if there is no display: the page is drawn in memory." },
        status: { type: ["integer", "null"] },
      },
      required: ["presented"],
    },
    probe,
    async run(args, context) {
      const { url, html, title } = args as { url?: string; html?: string; title?: string };
      if (url !== undefined && html !== undefined) throw invalidRequest("Give either `url` or `html`.");
      const request = { url, html, title, place: placeOf(args) };
      const { status = null, ...shown } = await (await canvas()).present(request, callOf(context));
      return { payload: { presented: true, ...shown, ...(url !== undefined && { status }) } };
    },
  };
}

/** What the arguments say about the window, in whole and possible numbers. */
function placeOf(args: CapabilityArgs) {
  const given = { ...args, ...asRecord(args["placement"]) };
  const number = (name: string, least: number, most: number): Record<string, number> => {
    const value = given[name];
    return typeof value === "number" ? { [name]: Math.min(most, Math.max(least, Math.round(value))) } : {};
  };
  const isPlaced = Number(given["x"] ?? -1) >= 0 && Number(given["y"] ?? -1) >= 0;
  return {
    ...number("width", 100, 7680),
    ...number("height", 100, 7680),
    ...(isPlaced && { ...number("x", 0, 16_384), ...number("y", 0, 16_384) }),
  };
}

export function canvasNavigate({ canvas, probe }: CanvasPort): Capability {
  return {
    name: "canvas.navigate",
    title: "Go to a page in the canvas",
    description:
      "Loads a page of a trusted origin in the canvas, and opens the canvas if it is closed. A hidden canvas stays hidden. canvas.caps lists the trusted origins.",
    risk: "write",
    consent: "always",
    annotations: { openWorldHint: true },
    input: {
      type: "object",
      properties: { url: { type: "string", minLength: 1, maxLength: 8192 } },
      required: ["url"],
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        navigated: { type: "boolean" },
        url: { type: "string", description: "Where it ended, after redirects." },
        opener: { type: "string", enum: ["canvas", "denied"] },
        status: { type: ["integer", "null"], description: "The HTTP status of the page." },
      },
      required: ["navigated", "url"],
    },
    probe,
    async run({ url }, context) {
      const shown = await (await canvas()).navigate(String(url), callOf(context));
      return { payload: { navigated: true, url: shown.url, opener: "canvas", status: shown.status ?? null } };
    },
  };
}

export function canvasHide({ canvas, probe }: CanvasPort): Capability {
  return {
    name: "canvas.hide",
    title: "Hide the canvas",
    description:
      "Hides the canvas. Its page stays as it is and can still be used; canvas.present without `url` and `html` shows it again.",
    risk: "write",
    consent: "always",
    input: { type: "object", properties: {}, additionalProperties: false },
    output: { type: "object", properties: { hidden: { type: "boolean" } }, required: ["hidden"] },
    probe,
    async run() {
      if (await (await canvas()).hide()) return { payload: { hidden: true } };
      throw new CapabilityFault("CANVAS_NOT_OPEN", "The canvas is not open.", { code: "conflict" });
    },
  };
}

export interface CapsOptions extends Pick<Machine, "env" | "platform"> {
  trusted(): TrustedOrigins;
}

export function canvasCaps({ probe }: CanvasPort, { env, platform, trusted }: CapsOptions): Capability {
  return {
    name: "canvas.caps",
    title: "What the canvas can do",
    description: "Returns what the canvas can do here, and the trusted origins.",
    risk: "read",
    consent: "always",
    input: { type: "object", properties: {}, additionalProperties: false },
    output: {
      type: "object",
      properties: {
        renderer: { type: "string" },
        eval: { type: "boolean" },
        snapshot: { type: "boolean" },
        navigate: { type: "boolean" },
        headless: {
          type: "boolean",
          description: "Whether there is no display: pages are drawn in memory, and only seen by canvas.snapshot.",
        },
        trustedOrigins: { type: "array", items: { type: "string" } },
        a2ui: {
          type: "object",
          properties: { version: { type: "string" }, introspect: { type: "boolean" } },
          additionalProperties: false,
        },
      },
      required: ["renderer"],
    },
    async run() {
      const { ok } = await probe();
      const { list } = trusted();
      const headless = platform !== "darwin" && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"];
      const payload = {
        renderer: ok ? "chromium" : "none",
        eval: ok,
        snapshot: ok,
        navigate: ok && list.length > 0,
        headless,
        trustedOrigins: list,
        a2ui: { version: "0.8", introspect: ok },
      };
      return { payload };
    },
  };
}

/** How far a call is, in steps. */
export function callOf({ signal, progress }: CapabilityContext): CanvasCall {
  let steps = 0;
  return { signal, step: (message) => progress({ progress: ++steps, message }) };
}
