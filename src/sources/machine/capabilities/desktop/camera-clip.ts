import type { Camera } from "../../camera/camera.ts";
import type { Capability } from "../../capability.ts";
import type { DesktopTools } from "../../desktop/desktop-tools.ts";
import { videoCommand } from "../../desktop/ffmpeg.ts";
import { cameraInput, chooseCamera, toCameraFault } from "./camera-snap.ts";
import { videoAnswer, videoOutput, type VideoParts, requireMicrophone } from "./video-answer.ts";

export interface CameraClipOptions extends VideoParts {
  readonly camera: Camera;
  readonly tools: DesktopTools;
}

/** Cameras give about as many. */
const fps = 25;

export function cameraClip({ camera, tools, store, recordings, sound }: CameraClipOptions): Capability {
  return {
    name: "camera.clip",
    title: "Film with the camera",
    description:
      "Films with a camera of this computer and saves the film to a file. The user sees that it records, and can stop it. Returns a link to the file.",
    risk: "sensitive-read",
    consent: "ask",
    input: {
      type: "object",
      properties: {
        ...cameraInput,
        durationMs: { type: "integer", minimum: 250, maximum: 60_000, default: 3000 },
        includeAudio: {
          type: "boolean",
          default: true,
          description: "With the sound of the microphone. If it is not given and there is none, the film is silent.",
        },
        format: { type: "string", enum: ["mp4", "webm"], default: "mp4" },
        maxWidth: { type: "integer", minimum: 16, maximum: 4096, default: 1280 },
      },
      additionalProperties: false,
    },
    output: { type: "object", properties: videoOutput, required: ["format", "durationMs", "bytes", "path"] },
    probe: () => camera.probe(),
    async run(args, context) {
      const { includeAudio } = args;
      const durationMs = Number(args["durationMs"] ?? 3000);
      const format = args["format"] === "webm" ? "webm" : "mp4";
      const picture = await chooseCamera(camera, args);
      const hasAudio = includeAudio === true || (includeAudio === undefined && (await sound.probeMicrophone()).ok);
      const inputs = hasAudio ? [picture, await requireMicrophone(sound)] : [picture];
      const wanted = { format, durationMs, hasAudio, fps, maxWidth: Number(args["maxWidth"] ?? 1280) } as const;
      const what = hasAudio ? (["camera", "microphone"] as const) : (["camera"] as const);
      return recordings.during({ ...context, tool: "camera.clip", what, durationMs }, (signal) =>
        videoAnswer({ kind: "camera", title: "Film of the camera", format }, store, context.caller, async (path) => {
          const options = { signal, timeoutMs: durationMs + 30_000 };
          await tools.run(videoCommand(inputs, wanted, path), options).catch(toCameraFault);
          return { durationMs, fps, hasAudio };
        }),
      );
    },
  };
}
