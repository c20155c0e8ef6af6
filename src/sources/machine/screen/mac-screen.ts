import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asRecord } from "../../../core/is-record.ts";
import { available, invalidRequest } from "../capability.ts";
import type { DesktopTools } from "../desktop/desktop-tools.ts";
import { videoCommand } from "../desktop/ffmpeg.ts";
import { imageSize } from "../desktop/image-size.ts";
import type { Monitor, Screen } from "./screen.ts";

/** macOS: `screencapture` and `sips` come with the system, ffmpeg films. Not tested. */
export function createMacScreen(tools: DesktopTools): Screen {
  return {
    probeList: () => Promise.resolve(available),
    probePicture: () => Promise.resolve(available),
    probeFilm: () => tools.need({ ffmpeg: "ffmpeg" }),
    async monitors(signal) {
      const options = { signal, maxBytes: 1024 * 1024 };
      const text = await tools.run(["system_profiler", "SPDisplaysDataType", "-json"], options);
      return parseDisplays(JSON.parse(text.toString("utf8")));
    },
    async takePicture({ monitor, window, withPointer }, { format, maxWidth, quality }, signal) {
      if (window !== undefined) throw invalidRequest("One window can't be captured on macOS. Leave `windowId` out.");
      const folder = await mkdtemp(join(tmpdir(), "clawport-screen-"));
      try {
        const path = join(folder, "picture");
        const pointer = withPointer ? ["-C"] : [];
        const display = monitor === undefined ? [] : ["-D", String(monitor.index + 1)];
        await tools.run(["screencapture", "-x", ...pointer, ...display, "-t", "png", path], { signal });
        const { width } = imageSize(await readFile(path));
        const resize = width > maxWidth ? ["--resampleWidth", String(maxWidth)] : [];
        const jpeg =
          format === "jpeg" ? ["-s", "format", "jpeg", "-s", "formatOptions", String(Math.round(quality * 100))] : [];
        if (resize.length + jpeg.length > 0) await tools.run(["sips", ...resize, ...jpeg, path], { signal });
        return await readFile(path);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    async film({ monitor, sound, path }, format, signal) {
      const name = `Capture screen ${monitor.index}:none`;
      const input = ["-f", "avfoundation", "-capture_cursor", "1", "-framerate", String(format.fps), "-i", name];
      const inputs = sound === undefined ? [input] : [input, sound];
      await tools.run(videoCommand(inputs, format, path), { signal, timeoutMs: format.durationMs + 30_000 });
      return format.fps;
    },
  };
}

/** The system reports no places, so every display is said to be at 0,0. */
export function parseDisplays(value: unknown): readonly Monitor[] {
  const cards = asRecord(value)["SPDisplaysDataType"];
  const displays = (Array.isArray(cards) ? cards : []).flatMap((card) => {
    const list = asRecord(card)["spdisplays_ndrvs"];
    return Array.isArray(list) ? list.map(asRecord) : [];
  });
  return displays.flatMap((display, index) => {
    const size = /(\d+) x (\d+)/.exec(textOf(display["_spdisplays_resolution"] ?? display["_spdisplays_pixels"]));
    if (size === null) return [];
    const primary = display["spdisplays_main"] === "spdisplays_yes";
    const name = textOf(display["_name"]) || `Display ${index + 1}`;
    return [{ index, name, primary, x: 0, y: 0, width: Number(size[1]), height: Number(size[2]) }];
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
