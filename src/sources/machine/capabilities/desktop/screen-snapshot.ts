import type { Capability } from "../../capability.ts";
import { invalidRequest } from "../../capability.ts";
import type { MediaStore } from "../../desktop/media-store.ts";
import type { DesktopWindows } from "../../screen/desktop-windows.ts";
import type { PictureTarget, Screen } from "../../screen/screen.ts";
import { chooseMonitor, monitorInput } from "./choose-monitor.ts";
import { pictureAnswer, pictureFormatOf, pictureInput, pictureOutput } from "./picture-answer.ts";

export interface ScreenSnapshotOptions {
  readonly screen: Screen;
  readonly windows: DesktopWindows;
  readonly store: MediaStore;
}

export function screenSnapshot({ screen, windows, store }: ScreenSnapshotOptions): Capability {
  return {
    name: "screen.snapshot",
    title: "Take a screenshot",
    description:
      "Takes a picture of one monitor, of one window (`windowId`), or of the whole desktop (`allScreens`), and returns it as an image.",
    risk: "sensitive-read",
    consent: "ask",
    input: {
      type: "object",
      properties: {
        ...monitorInput,
        allScreens: { type: "boolean", default: false, description: "All monitors in one picture." },
        windowId: { type: "string", maxLength: 40, description: "Only this window: an `id` of windows.list." },
        format: { type: "string", enum: ["png", "jpeg", "jpg"], default: "png" },
        maxWidth: {
          type: "integer",
          minimum: 16,
          maximum: 7680,
          default: 1920,
          description: "A wider picture is scaled down.",
        },
        ...pictureInput,
        includePointer: { type: "boolean", default: true },
        executionId: { type: "string", maxLength: 200, description: "Not used." },
      },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: { ...pictureOutput, screenIndex: { type: "integer" }, windowId: { type: "string" } },
      required: ["format", "width", "height"],
    },
    probe: () => screen.probePicture(),
    async run(args, { caller, signal }) {
      const { windowId, allScreens = false, includePointer = true, format = "png" } = args;
      if (windowId !== undefined && allScreens === true)
        throw invalidRequest("Give `windowId` or `allScreens`, not both.");
      const picture = pictureFormatOf(args, { format: "png", maxWidth: 1920 });
      const withPointer = includePointer === true;
      if (typeof windowId === "string") {
        await windows.require(windowId, signal);
        return take({ window: windowId, withPointer }, "Picture of a window", { windowId });
      }
      const isFirst = [args["screenIndex"], args["monitor"]].every((index) => index === undefined || index === 0);
      if (allScreens === true || (screen.seesWholeOnly === true && isFirst))
        return take({ withPointer }, "Picture of all screens", {});
      const monitor = await chooseMonitor(screen, args, signal);
      return take({ monitor, withPointer }, `Picture of screen ${monitor.index}`, { screenIndex: monitor.index });

      async function take(target: PictureTarget, title: string, more: object) {
        const data = await screen.takePicture(target, picture, signal);
        const answer = pictureAnswer({ data, title, format }, store, caller);
        return { ...answer, payload: { ...answer.payload, ...more } };
      }
    },
  };
}
