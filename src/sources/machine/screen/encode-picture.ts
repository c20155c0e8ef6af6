import { CapabilityFault } from "../capability.ts";
import type { DesktopTools } from "../desktop/desktop-tools.ts";
import { maxPictureBytes, pictureCommand, type PictureFormat } from "../desktop/ffmpeg.ts";
import { imageSize } from "../desktop/image-size.ts";

/** A PNG in the requested size and format. One that fits already needs no other program. */
export async function encodePicture(
  tools: DesktopTools,
  png: Buffer,
  format: PictureFormat,
  signal: AbortSignal,
): Promise<Buffer> {
  if (format.format === "png" && imageSize(png).width <= format.maxWidth) return png;
  if (!(await tools.has("ffmpeg"))) {
    const what = format.format === "png" ? "A smaller picture" : "A JPEG";
    throw new CapabilityFault("SCREEN_UNAVAILABLE", `${what} needs ffmpeg; install the package \`ffmpeg\`.`);
  }
  const input = ["-f", "png_pipe", "-i", "-"];
  return tools.run(pictureCommand(input, format), { signal, input: png, maxBytes: maxPictureBytes });
}
