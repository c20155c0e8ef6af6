import { asRecord } from "../../../../core/is-record.ts";
import { withDeadline } from "../../../../core/wait.ts";
import { CapabilityFault } from "../../capability.ts";
import type { CanvasPage } from "./canvas-page.ts";

export interface PictureOptions {
  readonly format: "png" | "jpeg";
  readonly maxWidth: number;
  /** From 0 to 1, for JPEG. */
  readonly quality: number;
  /** Also what is not in view. */
  readonly fullPage: boolean;
}

export interface PagePicture {
  readonly base64: string;
  readonly width: number;
  readonly height: number;
}

const pictureMs = 10_000;
const maxPixels = 16_384;
/** Clients and models refuse larger pictures. */
const maxBase64 = 5 * 1024 * 1024;

export async function takePicture(
  page: CanvasPage,
  options: PictureOptions,
  signal: AbortSignal,
): Promise<PagePicture> {
  const { format, maxWidth, quality, fullPage } = options;
  return withDeadline(pictureMs, signal, async (ended) => {
    const metrics = await page.send("Page.getLayoutMetrics", {}, ended);
    const view = asRecord(metrics["cssVisualViewport"]);
    const whole = asRecord(metrics["cssContentSize"]);
    const width = Math.max(1, Math.min(Number(fullPage ? whole["width"] : view["clientWidth"]), maxPixels));
    const height = Math.max(1, Math.min(Number(fullPage ? whole["height"] : view["clientHeight"]), maxPixels));
    const ratio = Number(asRecord(metrics["visualViewport"])["clientWidth"]) / Number(view["clientWidth"]) || 1;
    const scale = Math.min(1, maxWidth / width);
    const corner = fullPage ? { x: 0, y: 0 } : { x: Number(view["pageX"]), y: Number(view["pageY"]) };
    const taken = await page.send(
      "Page.captureScreenshot",
      {
        format,
        ...(format === "jpeg" && { quality: Math.max(1, Math.round(quality * 100)) }),
        captureBeyondViewport: fullPage,
        clip: { ...corner, width, height, scale: scale / ratio },
      },
      ended,
    );
    const { data: base64 } = taken;
    if (typeof base64 !== "string" || base64 === "")
      throw new CapabilityFault("CANVAS_SNAPSHOT_FAILED", "The browser returned no picture.");
    if (base64.length > maxBase64)
      throw new CapabilityFault("PAYLOAD_TOO_LARGE", "The picture is too large. Lower `maxWidth`, or use JPEG.", {
        code: "too-large",
      });
    return { base64, width: Math.round(width * scale), height: Math.round(height * scale) };
  });
}
