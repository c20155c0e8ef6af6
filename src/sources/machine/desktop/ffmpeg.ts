import type { DesktopCommand } from "./desktop-tools.ts";

/** How a picture is to be encoded. */
export interface PictureFormat {
  readonly format: "png" | "jpeg";
  readonly maxWidth: number;
  /** Of a JPEG, from 0 to 1. */
  readonly quality: number;
}

/** How a film is to be encoded. */
export interface VideoFormat {
  readonly format: "mp4" | "webm";
  readonly maxWidth: number;
  readonly fps: number;
  readonly durationMs: number;
  readonly hasAudio: boolean;
}

/** Larger pictures are refused. */
export const maxPictureBytes = 16 * 1024 * 1024;

/** A film ends there, so that it can't fill the disk. */
const maxFilmBytes = "1000000000";

const quiet = ["-hide_banner", "-loglevel", "error", "-nostdin"] as const;

/** Takes one picture from an input and writes it to stdout, never wider than asked for. */
export function pictureCommand(input: readonly string[], picture: PictureFormat, skipMs = 0): DesktopCommand {
  const { format, maxWidth, quality } = picture;
  const codec =
    format === "png" ? ["-c:v", "png"] : ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-q:v", jpegScale(quality)];
  const skip = skipMs === 0 ? [] : ["-ss", seconds(skipMs)];
  const scale = ["-vf", `scale=w='min(iw,${maxWidth})':h='max(1,round(ow/a))'`];
  return ["ffmpeg", ...quiet, ...input, ...skip, "-frames:v", "1", ...scale, ...codec, "-f", "image2pipe", "-"];
}

/** Writes a film to a file. The inputs are the picture's and, if it has sound, the sound's. */
export function videoCommand(inputs: readonly (readonly string[])[], film: VideoFormat, path: string): DesktopCommand {
  const { format, maxWidth, fps, durationMs, hasAudio } = film;
  const video =
    format === "mp4"
      ? ["-c:v", "libx264", "-preset", "ultrafast", "-movflags", "+faststart"]
      : ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "2M"];
  const audio = hasAudio ? ["-c:a", format === "mp4" ? "aac" : "libopus"] : ["-an"];
  // The encoders take even numbers only.
  const scale = `scale=w='max(2,trunc(min(iw,${maxWidth})/2)*2)':h='max(2,trunc(ow/a/2)*2)'`;
  const shape = [
    "-vf",
    scale,
    "-pix_fmt",
    "yuv420p",
    "-r",
    String(fps),
    "-t",
    seconds(durationMs),
    "-fs",
    maxFilmBytes,
  ];
  return ["ffmpeg", ...quiet, ...inputs.flat(), ...shape, ...video, ...audio, "-f", format, "-y", path];
}

/** `-q:v` of ffmpeg: 2 is best, 31 worst. */
function jpegScale(quality: number): string {
  return String(Math.round(2 + 29 * (1 - quality) ** 1.5));
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
