import { Fault } from "../../../core/fault.ts";

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Reads the size from the header of a PNG or a JPEG. */
export function imageSize(image: Buffer): ImageSize {
  const size = image.length > 24 && image.readUInt32BE(0) === 0x89504e47 ? pngSize(image) : jpegSize(image);
  if (size === undefined || size.width === 0 || size.height === 0)
    throw new Fault("unavailable", "The desktop gave no picture.");
  return size;
}

function pngSize(image: Buffer): ImageSize {
  return { width: image.readUInt32BE(16), height: image.readUInt32BE(20) };
}

/** ITU T.81, annex B: the frame header is the first SOF segment. */
function jpegSize(image: Buffer): ImageSize | undefined {
  if (image.length < 4 || image.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < image.length && image[at] === 0xff; at += 2 + image.readUInt16BE(at + 2)) {
    const marker = image[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: image.readUInt16BE(at + 7), height: image.readUInt16BE(at + 5) };
  }
  return undefined;
}
