import type { SeriesPoint } from "../../../../src/hub/control/queries/call-series.ts";
import { hub } from "../../hub/control.ts";
import { slowly, useLive } from "../../hub/live.ts";
import { Panel } from "../../parts/blocks.tsx";
import { Loaded } from "../../parts/states.tsx";
import { BarChart, LineChart } from "../../parts/charts.tsx";
import { countText, durationText } from "../../parts/words.tsx";
import { callTime } from "./call-time.ts";

const minutes = 60;

/** The last hour: calls, errors, refused calls and latency. */
export function CallChart() {
  const series = useLive(() => hub.status.series({ minutes }), ["audit"], [], slowly);
  return (
    <Panel title="The last hour">
      <Loaded from={series}>{(points) => <Figures points={points} />}</Loaded>
    </Panel>
  );
}

function Figures({ points }: { readonly points: readonly SeriesPoint[] }) {
  const calls = sum(points, ({ calls }) => calls);
  const errors = sum(points, ({ errors }) => errors);
  const refused = sum(points, ({ refused }) => refused);
  const ends = [minuteText(points[0]?.at), minuteText(points.at(-1)?.at)] as const;
  const [p50, p95] = [callTime(points, 0.5), callTime(points, 0.95)];
  return (
    <div class="call-chart">
      <div class="figures">
        <Figure value={countText(calls)} name="calls" />
        <Figure value={`${calls === 0 ? 0 : percent(errors / calls)} %`} name="errors" />
        {refused > 0 && <Figure value={countText(refused)} name="refused" />}
        <Figure value={durationText(p50)} name="median" />
        <Figure value={durationText(p95)} name="p95" />
      </div>
      <div class="columns charts">
        <BarChart
          caption="Calls per minute"
          legend={[
            ["bar", "calls"],
            ["bar-bad", "errors"],
          ]}
          ends={ends}
          label={`${calls} calls and ${errors} errors in the last hour`}
          values={points.map(({ at, calls, errors, refused }) => ({
            key: at,
            whole: calls,
            part: errors,
            title: `${minuteText(at)}: ${calls} calls, ${errors} errors, ${refused} refused`,
          }))}
        />
        <LineChart
          caption="Time per call, without the wait for approval"
          legend={[
            ["curve", "median"],
            ["curve-thin", "p95"],
          ]}
          ends={ends}
          titles={points.map(({ at, p50, p95 }) =>
            p50 === undefined
              ? `${minuteText(at)}: no calls`
              : `${minuteText(at)}: median ${durationText(p50)}, p95 ${durationText(p95)}`,
          )}
          label={`Median ${durationText(p50)}, p95 ${durationText(p95)}`}
          low={points.map((each) => each.p50)}
          high={points.map((each) => each.p95)}
        />
      </div>
    </div>
  );
}

function Figure({ value, name }: { readonly value: string; readonly name: string }) {
  return (
    <div class="figure">
      <b>{value}</b>
      <span>{name}</span>
    </div>
  );
}

function sum<T>(list: readonly T[], of: (each: T) => number): number {
  return list.reduce((total, each) => total + of(each), 0);
}

function minuteText(at: string | undefined): string {
  return at === undefined ? "" : new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

function percent(share: number): string {
  const value = share * 100;
  return value !== 0 && value < 10 ? value.toFixed(1) : String(Math.round(value));
}
