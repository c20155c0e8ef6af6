import type { Capability } from "../../capability.ts";
import type { Screen } from "../../screen/screen.ts";
import { chooseMonitor, monitorInput } from "./choose-monitor.ts";
import { videoAnswer, videoOutput, type VideoParts, requireMicrophone } from "./video-answer.ts";

export function screenRecord({
  screen,
  store,
  recordings,
  sound,
}: VideoParts & { readonly screen: Screen }): Capability {
  return {
    name: "screen.record",
    title: "Record the screen",
    description:
      "Films one monitor and saves the film to a file. The user sees that it records, and can stop it. Returns a link to the file.",
    risk: "sensitive-read",
    consent: "ask",
    input: {
      type: "object",
      properties: {
        durationMs: { type: "integer", minimum: 100, maximum: 300_000, default: 10_000 },
        fps: { type: "number", minimum: 1, maximum: 60, default: 10, description: "At most 5 on Wayland." },
        ...monitorInput,
        format: { type: "string", enum: ["mp4", "webm"], default: "mp4" },
        maxWidth: { type: "integer", minimum: 16, maximum: 7680, default: 1920 },
        includeAudio: { type: "boolean", default: false, description: "With the sound of the microphone." },
      },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: { ...videoOutput, screenIndex: { type: "integer" } },
      required: ["format", "durationMs", "bytes", "path"],
    },
    probe: () => screen.probeFilm(),
    async run(args, context) {
      const { caller, signal } = context;
      const durationMs = Number(args["durationMs"] ?? 10_000);
      const hasAudio = args["includeAudio"] === true;
      const format = args["format"] === "webm" ? "webm" : "mp4";
      const monitor = await chooseMonitor(screen, args, signal);
      const audio = hasAudio ? await requireMicrophone(sound) : undefined;
      const wanted = {
        format,
        durationMs,
        hasAudio,
        fps: Number(args["fps"] ?? 10),
        maxWidth: Number(args["maxWidth"] ?? 1920),
      } as const;
      const what = hasAudio ? (["screen", "microphone"] as const) : (["screen"] as const);
      const title = `Film of screen ${monitor.index}`;
      return recordings.during({ ...context, tool: "screen.record", what, durationMs }, (ended) =>
        videoAnswer({ kind: "screen", title, format }, store, caller, async (path) => {
          const fps = await screen.film({ monitor, sound: audio, path }, wanted, ended);
          return { durationMs, fps, hasAudio, screenIndex: monitor.index };
        }),
      );
    },
  };
}
