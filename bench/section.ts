/** What one scenario found, ready to be shown. */
export interface Section {
  readonly title: string;
  readonly notes: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly missed: number;
}

export type Bar = { readonly atMost: number } | { readonly atLeast: number };

/** The bar beside the value, and whether it is met. */
export function judge(value: number, bar: Bar | undefined): readonly [bar: string, verdict: "pass" | "miss" | ""] {
  if (bar === undefined) return ["", ""];
  if ("atMost" in bar) return [`≤ ${bar.atMost}`, value <= bar.atMost ? "pass" : "miss"];
  return [`≥ ${bar.atLeast}`, value >= bar.atLeast ? "pass" : "miss"];
}

export function section(given: Omit<Section, "missed">): Section {
  return { ...given, missed: given.rows.filter((row) => row.includes("miss")).length };
}

/** Three digits that matter. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
