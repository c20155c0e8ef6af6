import { crc32, deflateSync, inflateSync } from "node:zlib";

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
/** A page of text and lines has few colours; those beyond the palette are close to one in it. */
const maxColours = 256;

/** A screenshot as a PNG with a palette: a third of the size, and it looks the same. */
export function shrinkPng(png: Buffer): Buffer {
  const { width, height, channels, pixels } = readPng(png);
  const counts = new Map<number, number>();
  const colourAt = (at: number): number =>
    ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);
  for (let at = 0; at < pixels.length; at += channels) counts.set(colourAt(at), (counts.get(colourAt(at)) ?? 0) + 1);
  const palette = paletteOf([...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour));
  const indexes = new Map(palette.map((colour, index) => [colour, index]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const colour = colourAt((y * width + x) * channels);
      let index = indexes.get(colour);
      if (index === undefined) indexes.set(colour, (index = nearest(colour, palette)));
      rows[y * (width + 1) + 1 + x] = index;
    }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const data = deflateSync(rows, { level: 9 });
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("PLTE", colours),
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The most used colours, as long as they differ; the closer they may be, the fewer there are. */
function paletteOf(colours: readonly number[]): readonly number[] {
  if (colours.length <= maxColours) return colours;
  for (let apart = 8; ; apart *= 2) {
    const palette: number[] = [];
    for (const colour of colours) {
      if (palette.length > maxColours) break;
      if (palette.every((other) => distance(colour, other) >= apart)) palette.push(colour);
    }
    if (palette.length <= maxColours) return palette;
  }
}

function nearest(colour: number, palette: readonly number[]): number {
  let best = 0;
  let least = Infinity;
  for (const [index, other] of palette.entries()) {
    const away = distance(colour, other);
    if (away < least) [best, least] = [index, away];
  }
  return best;
}

function distance(one: number, other: number): number {
  const [red, green, blue] = [
    (one >> 16) - (other >> 16),
    ((one >> 8) & 255) - ((other >> 8) & 255),
    (one & 255) - (other & 255),
  ];
  return red * red + green * green + blue * blue;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly pixels: Uint8Array;
}

/** Of what Chromium writes: 8 bits a channel, RGB or RGBA, not interlaced. */
function readPng(png: Buffer): Picture {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : (pixels[y * stride + x - channels] ?? 0);
      const up = y === 0 ? 0 : (pixels[(y - 1) * stride + x] ?? 0);
      const corner = y === 0 || x < channels ? 0 : (pixels[(y - 1) * stride + x - channels] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      pixels[y * stride + x] = ((raw[y * (stride + 1) + 1 + x] ?? 0) + guess) & 255;
    }
  }
  return { width, height, channels, pixels };
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
