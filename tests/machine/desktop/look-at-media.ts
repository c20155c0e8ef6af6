import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Colour = readonly [red: number, green: number, blue: number];

export interface Pixels {
  readonly width: number;
  readonly height: number;
  at(x: number, y: number): Colour;
}

/** The pixels of a picture, decoded by a program that is not part of the node. */
export async function pixelsOf(base64: string): Promise<Pixels> {
  const image = Buffer.from(base64, "base64");
  const entries = ["-select_streams", "v:0", "-show_entries", "stream=width,height", "-of", "csv=p=0"];
  const size = (await ffmpeg(image, "ffprobe", ["-v", "error", ...entries, "-"])).toString("utf8");
  const [width, height] = size.trim().split(",").map(Number) as [number, number];
  const raw = await ffmpeg(image, "ffmpeg", ["-v", "error", "-i", "-", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]);
  return {
    width,
    height,
    at(x, y) {
      const start = (y * width + x) * 3;
      return [raw[start]!, raw[start + 1]!, raw[start + 2]!];
    },
  };
}

async function ffmpeg(input: Buffer, program: string, args: readonly string[]): Promise<Buffer> {
  const running = run(program, [...args], { encoding: "buffer", maxBuffer: 100_000_000 });
  running.child.stdin?.on("error", () => {});
  running.child.stdin?.end(input);
  return (await running).stdout;
}

export interface Film {
  readonly width: number;
  readonly frames: number;
  readonly seconds: number;
  readonly codecs: readonly string[];
}

export async function readFilm(path: string): Promise<Film> {
  const entries = "stream=codec_name,codec_type,width,nb_read_frames:format=duration";
  const { stdout } = await run("ffprobe", [
    "-v",
    "error",
    "-count_frames",
    "-show_entries",
    entries,
    "-of",
    "json",
    path,
  ]);
  const { streams, format } = JSON.parse(stdout) as {
    streams: { codec_name: string; codec_type: string; width?: number; nb_read_frames: string }[];
    format: { duration: string };
  };
  const video = streams.find(({ codec_type: type }) => type === "video");
  return {
    width: video?.width ?? 0,
    frames: Number(video?.nb_read_frames),
    seconds: Number(format.duration),
    codecs: streams.map(({ codec_name: name }) => name),
  };
}

/** The loudest moment of a recording in decibels: 0 is the most that fits, and silence is below -80. */
export async function loudnessOf(path: string): Promise<number> {
  const { stderr } = await run("ffmpeg", ["-i", path, "-vn", "-af", "volumedetect", "-f", "null", "-"]);
  return Number(/max_volume: (-?[\d.]+|-inf) dB/.exec(stderr)?.[1] ?? -Infinity);
}
