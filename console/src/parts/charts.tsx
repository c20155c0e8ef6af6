import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { durationText, shortCount } from "./words.tsx";

interface Bar {
  readonly whole: number;
  /** The part of it that went wrong. */
  readonly part: number;
  /** What it stands for, in words. */
  readonly title: string;
  readonly key: string;
}

/** A colour of a chart, and what it stands for. */
type LegendEntry = readonly [mark: "bar" | "bar-bad" | "curve" | "curve-thin", name: string];

interface ChartProps {
  readonly caption: string;
  /** The chart in one sentence. */
  readonly label: string;
  readonly legend: readonly LegendEntry[];
  /** The first and the last point in time. */
  readonly ends: readonly [string, string];
}

interface FrameProps extends ChartProps {
  /** The values at the top and at the foot of the scale. */
  readonly scale: readonly [string, string];
  /** What each point says, from left to right. */
  readonly titles: readonly string[];
  readonly children: ComponentChildren;
}

const height = 56;
const step = 5;

/** Caption, legend, both axes, and a crosshair that the pointer or the arrow keys move. */
function ChartFrame({ caption, label, legend, ends, scale, titles, children }: FrameProps) {
  const at = useSignal<number | undefined>(undefined);
  const last = titles.length - 1;
  const chosen = at.value === undefined ? undefined : Math.min(at.value, last);
  const move = (to: number): void => {
    at.value = Math.max(0, Math.min(last, to));
  };
  return (
    <figure class="chart">
      <figcaption class="small muted">
        <span class="grow">{caption}</span>
        {legend.map(([mark, name]) => (
          <span key={mark} class="legend">
            <svg class="spark" viewBox="0 0 10 10" aria-hidden="true">
              {mark.startsWith("bar") ? (
                <rect class={mark} width={10} height={10} rx={2} />
              ) : (
                <path class={mark} d="M0 5H10" />
              )}
            </svg>
            {name}
          </span>
        ))}
      </figcaption>
      <div class="chart-scale small muted num" aria-hidden="true">
        <span>{scale[0]}</span>
        <span>{scale[1]}</span>
      </div>
      <div
        class="chart-plot"
        role="group"
        tabIndex={0}
        aria-label={`${caption}. Arrow keys read the values.`}
        onPointerMove={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          move(Math.floor(((event.clientX - left) / width) * titles.length));
        }}
        onPointerLeave={() => (at.value = undefined)}
        onBlur={() => (at.value = undefined)}
        onKeyDown={(event) => {
          const by = { ArrowLeft: -1, ArrowRight: 1, Home: -titles.length, End: titles.length }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          move((chosen ?? (by < 0 ? titles.length : -1)) + by);
        }}
      >
        <svg
          class="spark"
          viewBox={`0 0 ${titles.length * step} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
        >
          {[0, height / 2].map((y) => (
            <path key={y} class="grid" d={`M0 ${y}H${titles.length * step}`} />
          ))}
          <rect class="zero" x={0} y={height - 1} width={titles.length * step} height={1} />
          {children}
        </svg>
        {chosen !== undefined && (
          <span class="crosshair" style={{ left: `${((chosen + 0.4) / titles.length) * 100}%` }} />
        )}
      </div>
      <div class="chart-ends small muted num" aria-live="polite">
        {chosen === undefined ? (
          <>
            <span>{ends[0]}</span>
            <span>{ends[1]}</span>
          </>
        ) : (
          <span class="chart-value">{titles[chosen]}</span>
        )}
      </div>
    </figure>
  );
}

/** A bar a minute or a day, with the bad part at its foot. */
export function BarChart({ values, ...chart }: ChartProps & { readonly values: readonly Bar[] }) {
  const most = Math.max(1, ...values.map(({ whole }) => whole));
  const tall = (count: number): number => (count === 0 ? 0 : Math.max(2, (count / most) * height));
  return (
    <ChartFrame {...chart} scale={[shortCount(most), "0"]} titles={values.map(({ title }) => title)}>
      {values.map(({ whole, part, key }, index) => (
        <g key={key}>
          <rect class="bar" x={index * step} y={height - tall(whole)} width={4} height={tall(whole)} />
          <rect class="bar-bad" x={index * step} y={height - tall(part)} width={4} height={tall(part)} />
        </g>
      ))}
    </ChartFrame>
  );
}

interface LineChartProps extends ChartProps {
  readonly low: readonly (number | undefined)[];
  readonly high: readonly (number | undefined)[];
  readonly titles: readonly string[];
}

/** Two curves on a logarithmic scale: one slow call must not flatten all others. Minutes without calls are gaps. */
export function LineChart({ low, high, ...chart }: LineChartProps) {
  const known = [...low, ...high].filter((value) => value !== undefined && value > 0) as number[];
  if (known.length === 0)
    return (
      <figure class="chart">
        <figcaption class="small muted">{chart.caption}</figcaption>
        <p class="chart-empty muted small" role="img" aria-label={chart.label}>
          No calls in the last hour
        </p>
      </figure>
    );
  const from = Math.log10(Math.max(0.05, Math.min(...known)));
  const to = Math.max(Math.log10(Math.max(1, ...known)), from + 0.3);
  const y = (value: number): number =>
    height - 1 - ((Math.log10(Math.max(value, 0.05)) - from) / (to - from)) * (height - 2);
  return (
    <ChartFrame {...chart} scale={[durationText(10 ** to), durationText(10 ** from)]}>
      <path class="curve-thin" d={pathOf(high, y)} />
      <path class="curve" d={pathOf(low, y)} />
    </ChartFrame>
  );
}

function pathOf(values: readonly (number | undefined)[], y: (value: number) => number): string {
  let isOpen = false;
  return values
    .map((value, index) => {
      if (value === undefined) {
        isOpen = false;
        return "";
      }
      const command = isOpen ? "L" : `M${index * step} ${y(value).toFixed(1)}L`;
      isOpen = true;
      return `${command}${index * step + 4} ${y(value).toFixed(1)}`;
    })
    .join("");
}
