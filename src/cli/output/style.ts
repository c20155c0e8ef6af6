import type { World } from "../../core/process/world.ts";

/** Colours text for a terminal; without colours each function returns its text unchanged. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

export type Colour = keyof Style;

export function createStyle(coloured: boolean): Style {
  const paint =
    (on: number, off: number) =>
    (text: string): string =>
      coloured ? `\u001B[${on}m${text}\u001B[${off}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

/** Colours only on a terminal, and not if `NO_COLOR` is set (https://no-color.org). */
export function wantsColour(output: { readonly isTTY?: boolean }, env: World["env"]): boolean {
  return output.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

/** A timestamp in local time, to the second: `2026-01-31 23:59:59`. */
export function localTime(timestamp: string): string {
  return new Date(timestamp).toLocaleString("sv");
}
