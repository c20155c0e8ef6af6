import { asRecord } from "../../../core/is-record.ts";
import { settledWithin, sleep } from "../../../core/wait.ts";
import { type Availability, CapabilityFault } from "../capability.ts";
import { type DesktopTools, failed } from "../desktop/desktop-tools.ts";
import { type VideoFormat, videoCommand } from "../desktop/ffmpeg.ts";
import { encodePicture } from "./encode-picture.ts";
import type { FilmTarget, Monitor, PictureTarget, Screen } from "./screen.ts";
import { createSwayWindows } from "./sway-windows.ts";

/** Uncompressed, a picture of the largest screens. */
const maxPixelBytes = 256 * 1024 * 1024;

/** Taking a picture takes about a tenth of a second. */
const maxFps = 5;

/**
 * Wayland compositors that hand out their pixels (wlr-screencopy: sway, Hyprland, labwc …), through `grim`. There is no
 * program that films a still screen reliably, so a film is made of single pictures.
 */
export function createWaylandScreen(tools: DesktopTools): Screen {
  const lister = tools.env["SWAYSOCK"] ? { swaymsg: "sway" } : { "wlr-randr": "wlr-randr" };

  async function monitors(signal: AbortSignal): Promise<readonly Monitor[]> {
    if ("swaymsg" in lister) {
      const text = await tools.run(["swaymsg", "-r", "-t", "get_outputs"], { signal, maxBytes: 1024 * 1024 });
      return parseOutputs(JSON.parse(text.toString("utf8")));
    }
    return parseWlrRandr((await tools.run(["wlr-randr"], { signal })).toString("utf8"));
  }

  async function grabWords({ monitor, window, withPointer }: PictureTarget, signal: AbortSignal): Promise<string[]> {
    const pointer = withPointer ? ["-c"] : [];
    if (monitor !== undefined) return [...pointer, "-o", monitor.name];
    if (window === undefined) return pointer;
    const found = (await createSwayWindows(tools).list(signal)).find(({ id }) => id === window);
    if (found === undefined) throw new CapabilityFault("WINDOW_NOT_FOUND", "The window was closed.");
    const { x, y, width, height } = found.bounds;
    return [...pointer, "-g", `${x},${y} ${width}x${height}`];
  }

  const grab = (words: readonly string[], type: "png" | "ppm", signal: AbortSignal): Promise<Buffer> =>
    tools.run(["grim", ...words, "-t", type, "-"], { signal, maxBytes: maxPixelBytes });

  async function needWithScreencopy(programs: Readonly<Record<string, string>>): Promise<Availability> {
    return tools.need({ ...lister, ...programs });
  }

  return {
    probeList: () => tools.need(lister),
    probePicture: () => needWithScreencopy({ grim: "grim" }),
    probeFilm: () => needWithScreencopy({ grim: "grim", ffmpeg: "ffmpeg" }),
    monitors,
    async takePicture(target, format, signal) {
      const words = await grabWords(target, signal);
      const png = await grab(words, "png", signal);
      return encodePicture(tools, png, format, signal);
    },
    async film(target, format, signal) {
      const fps = Math.min(format.fps, maxFps);
      const words = ["-c", "-o", target.monitor.name];
      await filmPictures(tools, target, { ...format, fps }, signal, () => grab(words, "ppm", signal));
      return fps;
    },
  };
}

/** A picture that is late stands for those that were missed, so that the film has its length. */
async function filmPictures(
  tools: DesktopTools,
  { sound, path }: FilmTarget,
  format: VideoFormat,
  signal: AbortSignal,
  take: () => Promise<Buffer>,
): Promise<void> {
  const { fps, durationMs } = format;
  const pictures = ["-f", "image2pipe", "-framerate", String(fps), "-c:v", "ppm", "-i", "-"];
  const command = videoCommand(sound === undefined ? [pictures] : [pictures, sound], format, path);
  const encoder = await tools.start(command);
  let errors = "";
  encoder.stderr.on("data", (chunk: Buffer) => (errors = (errors + chunk.toString("utf8")).slice(-1000)));
  encoder.stdout.resume();
  try {
    const started = performance.now();
    const count = Math.max(1, Math.round((durationMs / 1000) * fps));
    let written = 0;
    while (written < count) {
      await sleep(Math.max(0, started + (written / fps) * 1000 - performance.now()), signal);
      const picture = await take();
      const due = Math.min(count, Math.max(written + 1, Math.floor(((performance.now() - started) / 1000) * fps)));
      for (; written < due; written++) await write(encoder.stdin, picture);
    }
    encoder.endInput();
    if (!(await settledWithin(encoder.exited, 30_000)) || (await encoder.exited).code !== 0)
      throw failed(command, errors);
  } finally {
    await encoder.kill();
  }
}

/** An encoder that has failed says so when it ends. */
function write(stream: NodeJS.WritableStream, data: Buffer): Promise<void> {
  return new Promise((resolve) => {
    stream.write(data, () => resolve());
  });
}

/** sway-ipc(7): places and sizes are logical, as pictures of areas take them. */
export function parseOutputs(value: unknown): readonly Monitor[] {
  const outputs = (Array.isArray(value) ? value : []).map(asRecord).filter(({ active }) => active === true);
  return outputs.map(({ name, rect, scale, focused }, index) => {
    const { x, y, width, height } = asRecord(rect);
    return {
      index,
      name: String(name),
      primary: focused === true || outputs.length === 1,
      x: Number(x),
      y: Number(y),
      width: Number(width),
      height: Number(height),
      scale: Number(scale),
    };
  });
}

/** An output is a line without indentation; its modes, place and scale follow, indented. */
export function parseWlrRandr(text: string): readonly Monitor[] {
  const blocks = text.split(/^(?=\S)/m).filter((block) => !/^\s+Enabled: no/m.test(block));
  return blocks.flatMap((block, index) => {
    const [name] = /^\S+/.exec(block) ?? [];
    const [, width, height] = /(\d+)x(\d+) px,[^\n]*current/.exec(block) ?? [];
    if (name === undefined || width === undefined) return [];
    const [, x = 0, y = 0] = /^\s+Position: (-?\d+),(-?\d+)/m.exec(block) ?? [];
    const scale = Number(/^\s+Scale: ([\d.]+)/m.exec(block)?.[1] ?? 1);
    const logical = (pixels: string | undefined): number => Math.round(Number(pixels) / scale);
    return [
      {
        index,
        name,
        primary: index === 0,
        x: Number(x),
        y: Number(y),
        width: logical(width),
        height: logical(height),
        scale,
      },
    ];
  });
}
