import { Fault, isFault } from "../../../core/fault.ts";
import type { DesktopTools } from "../desktop/desktop-tools.ts";
import { videoCommand, maxPictureBytes, pictureCommand } from "../desktop/ffmpeg.ts";
import type { Monitor, PictureTarget, Screen } from "./screen.ts";
import { readWindowFrame } from "./x11-windows.ts";

const listPrograms = { xrandr: "x11-xserver-utils" };
const grabPrograms = { ...listPrograms, ffmpeg: "ffmpeg" };

/** X11: `xrandr` knows the monitors, ffmpeg grabs the pixels. */
export function createX11Screen(tools: DesktopTools): Screen {
  const display = tools.env["DISPLAY"] ?? "";

  async function monitors(signal: AbortSignal): Promise<readonly Monitor[]> {
    return parseMonitors((await tools.run(["xrandr", "--listmonitors"], { signal })).toString("utf8"));
  }

  const grab = (area: readonly string[], pointer: boolean, fps: number): readonly string[] => [
    "-f",
    "x11grab",
    "-draw_mouse",
    pointer ? "1" : "0",
    "-framerate",
    String(fps),
    ...area,
    "-i",
    display,
  ];

  /** A window may reach out of the screen, where there are no pixels: then what the screen shows of it is taken. */
  async function windowAreas(id: string, signal: AbortSignal): Promise<readonly (readonly string[])[]> {
    const frame = await readWindowFrame(tools, id, signal);
    const whole = boundsOf(await monitors(signal));
    const x = Math.max(frame.x, whole.x);
    const y = Math.max(frame.y, whole.y);
    const width = Math.min(frame.x + frame.width, whole.x + whole.width) - x;
    const height = Math.min(frame.y + frame.height, whole.y + whole.height) - y;
    const visible = width > 0 && height > 0 ? [areaOf({ x, y, width, height })] : [];
    return [["-window_id", id], ...visible];
  }

  async function areasOf({ monitor, window }: PictureTarget, signal: AbortSignal) {
    if (window !== undefined) return windowAreas(window, signal);
    return [areaOf(monitor ?? boundsOf(await monitors(signal)))];
  }

  return {
    probeList: () => tools.need(listPrograms),
    probePicture: () => tools.need(grabPrograms),
    probeFilm: () => tools.need(grabPrograms),
    monitors,
    async takePicture(target, format, signal) {
      let problem = new Fault("unavailable", "The display gave no picture of it.");
      for (const area of await areasOf(target, signal)) {
        try {
          const command = pictureCommand(grab(area, target.withPointer, 25), format);
          const picture = await tools.run(command, { signal, maxBytes: maxPictureBytes });
          // ffmpeg also ends well without a picture.
          if (picture.length > 0) return picture;
        } catch (error) {
          if (signal.aborted || !isFault(error, "unavailable")) throw error;
          problem = error;
        }
      }
      throw problem;
    },
    async film({ monitor, sound, path }, format, signal) {
      const picture = grab(areaOf(monitor), true, format.fps);
      const inputs = sound === undefined ? [picture] : [picture, sound];
      const timeoutMs = format.durationMs + 30_000;
      await tools.run(videoCommand(inputs, format, path), { signal, timeoutMs });
      return format.fps;
    },
  };
}

type Area = Pick<Monitor, "x" | "y" | "width" | "height">;

function areaOf({ x, y, width, height }: Area): readonly string[] {
  return ["-grab_x", String(x), "-grab_y", String(y), "-video_size", `${width}x${height}`];
}

function boundsOf(monitors: readonly Area[]): Area {
  const x = Math.min(...monitors.map((one) => one.x));
  const y = Math.min(...monitors.map((one) => one.y));
  const right = Math.max(...monitors.map((one) => one.x + one.width));
  const bottom = Math.max(...monitors.map((one) => one.y + one.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** Lines such as ` 0: +*DP-1 1920/527x1080/296+0+0  DP-1`: name, pixels and millimetres, place. */
export function parseMonitors(text: string): readonly Monitor[] {
  const line = /^\s*\d+: \+?(\*?)(\S+) (\d+)\/\d+x(\d+)\/\d+\+(-?\d+)\+(-?\d+)/;
  const found = text.split("\n").flatMap((row) => {
    const [, star, name = "", width, height, x, y] = line.exec(row) ?? [];
    if (width === undefined) return [];
    const [w, h, left, top] = [width, height, x, y].map(Number) as [number, number, number, number];
    return [{ name, primary: star === "*", width: w, height: h, x: left, y: top }];
  });
  const hasPrimary = found.some(({ primary }) => primary);
  return found.map((monitor, index) => ({ index, ...monitor, primary: hasPrimary ? monitor.primary : index === 0 }));
}
