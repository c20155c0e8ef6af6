import type { Camera } from "../../camera/camera.ts";
import { type Capability, type CapabilityArgs, CapabilityFault, invalidRequest } from "../../capability.ts";
import type { DesktopTools } from "../../desktop/desktop-tools.ts";
import { maxPictureBytes, pictureCommand } from "../../desktop/ffmpeg.ts";
import type { MediaStore } from "../../desktop/media-store.ts";
import { isFault } from "../../../../core/fault.ts";
import { pictureAnswer, pictureFormatOf, pictureInput, pictureOutput } from "./picture-answer.ts";

export interface CameraSnapOptions {
  readonly camera: Camera;
  readonly tools: DesktopTools;
  readonly store: MediaStore;
}

/** Arguments that choose a camera. */
export const cameraInput = {
  deviceId: { type: "string", maxLength: 100, description: "An `id` of camera.list; the first camera unless given." },
  facing: { type: "string", enum: ["front", "back"], description: "Not used: this computer does not know it." },
} as const;

export function cameraSnap({ camera, tools, store }: CameraSnapOptions): Capability {
  return {
    name: "camera.snap",
    title: "Take a photo",
    description: "Takes a picture with a camera of this computer and returns it as an image.",
    risk: "sensitive-read",
    consent: "ask",
    input: {
      type: "object",
      properties: {
        ...cameraInput,
        format: { type: "string", enum: ["jpg", "jpeg", "png"], default: "jpg" },
        maxWidth: { type: "integer", minimum: 16, maximum: 4096, default: 1600 },
        ...pictureInput,
        delayMs: {
          type: "integer",
          minimum: 0,
          maximum: 10_000,
          default: 500,
          description: "So that the camera can adjust to the light.",
        },
      },
      additionalProperties: false,
    },
    output: { type: "object", properties: pictureOutput, required: ["format", "width", "height"] },
    probe: () => camera.probe(),
    async run(args, { caller, signal }) {
      const { delayMs = 500, format = "jpg" } = args;
      const input = await chooseCamera(camera, args);
      const command = pictureCommand(input, pictureFormatOf(args, { format: "jpeg", maxWidth: 1600 }), Number(delayMs));
      const data = await tools.run(command, { signal, maxBytes: maxPictureBytes }).catch(toCameraFault);
      return pictureAnswer({ data, title: "Picture of the camera", format }, store, caller);
    },
  };
}

/** ffmpeg's input for the requested camera. */
export async function chooseCamera(camera: Camera, { deviceId }: CapabilityArgs): Promise<readonly string[]> {
  const input = await camera.inputOf(typeof deviceId === "string" ? deviceId : undefined);
  if (input !== undefined) return input;
  throw invalidRequest("camera device not found: use an `id` from camera.list.");
}

/** The kernel lets one program at a time use a camera. */
export function toCameraFault(cause: unknown): never {
  if (!isFault(cause, "unavailable")) throw cause;
  if (/resource busy/i.test(cause.message))
    throw new CapabilityFault("CAMERA_BUSY", "Another program uses the camera. Try again later.", { cause });
  if (/permission denied/i.test(cause.message)) {
    const message = "The node may not use the camera: add its user to the group `video`.";
    throw new CapabilityFault("CAMERA_PERMISSION_REQUIRED", message, { cause });
  }
  throw new CapabilityFault("CAMERA_UNAVAILABLE", `The camera gave no picture: ${cause.message}`, { cause });
}
