import type { Caller } from "../../../../catalog/caller.ts";
import type { CapabilityAnswer, CapabilityArgs } from "../../capability.ts";
import type { PictureFormat } from "../../desktop/ffmpeg.ts";
import { imageSize } from "../../desktop/image-size.ts";
import type { MediaStore } from "../../desktop/media-store.ts";

/** Arguments that every tool with a picture takes. */
export const pictureInput = {
  quality: {
    type: "number",
    exclusiveMinimum: 0,
    maximum: 100,
    description: "Of a JPEG: up to 1 a fraction, above it a percentage.",
  },
} as const;

export const pictureOutput = {
  format: { type: "string", enum: ["png", "jpeg", "jpg"] },
  width: { type: "integer" },
  height: { type: "integer" },
} as const;

export function pictureFormatOf(args: CapabilityArgs, defaults: Omit<PictureFormat, "quality">): PictureFormat {
  const { format = defaults.format, maxWidth = defaults.maxWidth, quality = 0.8 } = args;
  const fraction = Number(quality);
  return {
    format: format === "png" ? "png" : "jpeg",
    maxWidth: Number(maxWidth),
    quality: fraction > 1 ? fraction / 100 : fraction,
  };
}

/** The picture as an image, which is kept as a resource for a while. */
export function pictureAnswer(
  picture: { readonly data: Buffer; readonly title: string; readonly format: unknown },
  store: MediaStore,
  caller: Caller,
): CapabilityAnswer {
  const { data, title } = picture;
  const { width, height } = imageSize(data);
  const mimeType = picture.format === "png" ? "image/png" : "image/jpeg";
  const media = store.keepPicture({ data, mimeType, title }, caller);
  return {
    payload: { format: picture.format, width, height },
    text: `${title}: ${width} × ${height} pixels (${mimeType}, ${data.length} bytes).`,
    media,
  };
}
