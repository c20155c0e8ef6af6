import type { TrayState } from "./tray-state.ts";

/** A square picture: four bytes a pixel, in the order alpha, red, green, blue. */
export interface Pixmap {
  readonly size: number;
  readonly bytes: Uint8Array;
}

type Colour = readonly [red: number, green: number, blue: number];
/** How far a point is outside of a shape; negative inside. The picture reaches from -1 to 1 in both directions. */
type Shape = (x: number, y: number) => number;
type Layer = readonly [shape: Shape, colour: Colour];

const white: Colour = [250, 250, 250];
const dark: Colour = [32, 36, 44];
const red: Colour = [224, 27, 36];
const amber: Colour = [245, 194, 17];
const blue: Colour = [53, 132, 228];

const circle =
  (radius: number, cx = 0, cy = 0): Shape =>
  (x, y) =>
    Math.hypot(x - cx, y - cy) - radius;
const box =
  (cx: number, cy: number, width: number, height: number): Shape =>
  (x, y) =>
    Math.max(Math.abs(x - cx) - width, Math.abs(y - cy) - height);
const ring = (outer: number, inner: number): Shape => both(circle(outer), (x, y) => -circle(inner)(x, y));
const both =
  (one: Shape, other: Shape): Shape =>
  (x, y) =>
    Math.max(one(x, y), other(x, y));
const either =
  (...shapes: readonly Shape[]): Shape =>
  (x, y) =>
    Math.min(...shapes.map((shape) => shape(x, y)));
/** A triangle that points up. */
const triangle: Shape = (x, y) => Math.max(y - 0.8, (Math.abs(x) * 1.75 - (y + 0.9)) / 2);
const slash: Shape = both((x, y) => Math.abs(x + y) / Math.SQRT2 - 0.13, circle(0.92));
const diamond =
  (radius: number): Shape =>
  (x, y) =>
    (Math.abs(x) + Math.abs(y) - radius) / Math.SQRT2;
const questionMark = either(
  // Without its lower left quarter.
  both(
    (x, y) => ring(0.42, 0.2)(x, y + 0.25),
    (x, y) => Math.min(y + 0.25, -x),
  ),
  box(0, 0.2, 0.11, 0.14),
  circle(0.14, 0, 0.56),
);

/** Distinct in shape, not only in colour; each with a dark and a light part, for panels of either kind. */
const drawings: Readonly<Record<TrayState, readonly Layer[]>> = {
  stopped: [
    [either(ring(0.95, 0.62), slash), dark],
    [
      either(
        ring(0.88, 0.7),
        both(slash, (x, y) => Math.abs(x + y) / Math.SQRT2 - 0.07),
      ),
      [150, 150, 150],
    ],
  ],
  listening: [
    [circle(0.95), dark],
    [either(ring(0.82, 0.6), circle(0.3)), white],
  ],
  paused: [
    [circle(0.95), dark],
    [either(box(-0.28, 0, 0.14, 0.48), box(0.28, 0, 0.14, 0.48)), white],
  ],
  working: [
    [circle(0.95), blue],
    [either(circle(0.17, -0.5, 0), circle(0.17), circle(0.17, 0.5, 0)), white],
  ],
  asks: [
    [diamond(1.32), dark],
    [diamond(1.16), amber],
    [questionMark, dark],
  ],
  recording: [
    [box(0, 0, 0.98, 0.98), red],
    [box(0, 0, 0.78, 0.78), white],
    [circle(0.6), red],
  ],
  trouble: [
    [triangle, dark],
    [(x, y) => triangle(x, y) + 0.12, amber],
    [either(box(0, 0.05, 0.1, 0.3), circle(0.12, 0, 0.55)), dark],
  ],
};

/** Points of a pixel that are looked at, in each direction. */
const samples = 4;

/** Drawn by code: a tray has no folder in an icon theme, and a picture of a few shapes needs no file. */
export function drawIcon(state: TrayState, size: number): Pixmap {
  const bytes = new Uint8Array(size * size * 4);
  const layers = drawings[state];
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      let [count, redSum, greenSum, blueSum] = [0, 0, 0, 0];
      for (let part = 0; part < samples * samples; part++) {
        const x = ((column + ((part % samples) + 0.5) / samples) / size) * 2 - 1;
        const y = ((row + (Math.floor(part / samples) + 0.5) / samples) / size) * 2 - 1;
        const colour = layers.findLast(([shape]) => shape(x, y) <= 0)?.[1];
        if (colour === undefined) continue;
        count++;
        redSum += colour[0];
        greenSum += colour[1];
        blueSum += colour[2];
      }
      if (count === 0) continue;
      const alpha = Math.round((count / (samples * samples)) * 255);
      bytes.set([alpha, redSum / count, greenSum / count, blueSum / count], (row * size + column) * 4);
    }
  return { size, bytes };
}
