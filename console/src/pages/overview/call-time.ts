import type { SeriesPoint } from "../../../../src/hub/control/queries/call-series.ts";

/** The time within which this share of all calls ended, over all minutes; undefined if there was no call. */
export function callTime(points: readonly Pick<SeriesPoint, "times">[], share: number): number | undefined {
  const times = points.flatMap((point) => point.times ?? []).toSorted(([a], [b]) => a - b);
  const rank = times.reduce((total, [, calls]) => total + calls, 0) * share;
  let seen = 0;
  return times.find(([, calls]) => (seen += calls) >= rank)?.[0];
}
