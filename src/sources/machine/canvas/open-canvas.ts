import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { sep } from "node:path";
import type { MachineConfig } from "../../../core/config/machine-config.ts";
import { readRegularFile } from "../../../core/files/read-regular-file.ts";
import type { Log } from "../../../core/log.ts";
import { type Capability, invalidRequest } from "../capability.ts";
import type { MediaStore } from "../desktop/media-store.ts";
import type { Machine } from "../machine.ts";
import { maxJsonlBytes } from "./a2ui/a2ui-messages.ts";
import { probeChromium } from "./browser/find-chromium.ts";
import type { Canvas, CanvasPort } from "./canvas.ts";
import { a2uiDump, a2uiPush, a2uiReset } from "./capabilities/canvas-a2ui.ts";
import { canvasCaps, canvasHide, canvasNavigate, canvasPresent } from "./capabilities/canvas-window.ts";
import { canvasEval, canvasSnapshot } from "./capabilities/canvas-page.ts";
import { parseTrustedOrigins } from "./proxy/trusted-origins.ts";

export interface OpenCanvasOptions extends Pick<Machine, "env" | "platform" | "homedir"> {
  readonly settings: Pick<MachineConfig, "canvas">;
  /** Where its pictures are kept. */
  readonly store: Pick<MediaStore, "keepPicture">;
  /** For the profiles of browsers. */
  readonly folder: string;
  readonly log: Log;
}

export interface OpenedCanvas {
  readonly capabilities: readonly Capability[];
  /** Closes what is open: the next call has the settings of then. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export function openCanvas(options: OpenCanvasOptions): OpenedCanvas {
  const { settings } = options;
  const trusted = () => parseTrustedOrigins(settings.canvas.trustedOrigins, settings.canvas.privateAddresses);
  let loaded: Promise<Canvas> | undefined;
  const load = async (): Promise<Canvas> => {
    const { createCanvas } = await import("./canvas.ts");
    return createCanvas({ ...options, config: settings.canvas, trusted: trusted() });
  };
  const port: CanvasPort = {
    canvas: () => (loaded ??= load()),
    probe: () => probeChromium(settings.canvas, options, process.getuid?.() === 0),
  };
  const reset = async (): Promise<void> => {
    const open = await loaded;
    loaded = undefined;
    await open?.close();
  };
  return {
    capabilities: [
      canvasPresent(port),
      canvasHide(port),
      canvasNavigate(port),
      canvasEval(port),
      canvasSnapshot(port, options.store),
      canvasCaps(port, { ...options, trusted }),
      a2uiPush("canvas.a2ui.push", port, readTemporaryFile),
      a2uiPush("canvas.a2ui.pushJSONL", port, readTemporaryFile),
      a2uiReset(port),
      a2uiDump(port),
    ],
    reset,
    close: reset,
  };
}

/** Callers can have no other file read for them. What went wrong is not said, since it would tell which files there are. */
async function readTemporaryFile(path: string): Promise<string> {
  try {
    const folder = await realpath(tmpdir());
    const real = await realpath(path);
    if (real.startsWith(folder + sep)) return await readRegularFile(real, maxJsonlBytes);
  } catch {
    // As if it were elsewhere.
  }
  throw invalidRequest("`jsonlPath` must be a readable file of at most 4 MiB in the folder for temporary files.");
}
