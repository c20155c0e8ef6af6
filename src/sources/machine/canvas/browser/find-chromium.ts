import { basename, dirname, isAbsolute } from "node:path";
import type { CanvasConfig } from "../../../../core/config/machine-config.ts";
import { type Availability, available } from "../../capability.ts";
import { findExecutable } from "../../../../core/process/find-program.ts";
import type { Machine } from "../../machine.ts";

const names = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "microsoft-edge-stable",
  "brave-browser",
];

const macPrograms = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

type Facts = Pick<Machine, "env" | "platform">;

/** A Chromium, or a browser made from it, that this computer has. */
export async function findChromium(config: CanvasConfig, { env, platform }: Facts): Promise<string | undefined> {
  const candidates = config.browser === undefined ? (platform === "darwin" ? macPrograms : names) : [config.browser];
  for (const candidate of candidates) {
    const place = isAbsolute(candidate) ? { PATH: dirname(candidate) } : env;
    const found = await findExecutable(basename(candidate), place, platform);
    if (found !== undefined) return found;
  }
  return undefined;
}

export async function probeChromium(config: CanvasConfig, facts: Facts, isRoot: boolean): Promise<Availability> {
  if (facts.platform === "win32") return { ok: false, reason: "the canvas does not work on Windows yet" };
  if ((await findChromium(config, facts)) === undefined)
    return {
      ok: false,
      reason: config.browser === undefined ? "Chromium was not found" : `${config.browser} was not found`,
      fix: config.browser === undefined ? "install the package `chromium`" : "correct `machine.canvas.browser`",
    };
  if (isRoot && config.sandbox)
    return {
      ok: false,
      reason: "Chromium has no sandbox as root",
      fix: "run the node as an ordinary user, or set `machine.canvas.sandbox` to false if you trust all pages",
    };
  return available;
}
