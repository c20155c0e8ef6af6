import { durationText } from "./words.tsx";

interface Bar {
  readonly whole: number;
  /** The part of it that went wrong. */
  readonly part: number;
  /** What it stands for, on hover. */
  readonly title: string;
  readonly key: string;
}

const height = 56;

/** A bar a minute or a day, with the bad part at its foot. */
export function BarChart({ values, label }: { readonly values: readonly Bar[]; readonly label: string }) {
  const most = Math.max(1, ...values.map(({ whole }) => whole));
  const width = values.length * 5;
  const tall = (count: number): number => (count === 0 ? 0 : Math.max(2, (count / most) * height));
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {values.map(({ whole, part, title, key }, index) => (
        <g key={key}>
          <title>{title}</title>
          <rect class="zero" x={index * 5} y={height - 1} width={4} height={1} />
          <rect class="bar" x={index * 5} y={height - tall(whole)} width={4} height={tall(whole)} />
          <rect class="bar-bad" x={index * 5} y={height - tall(part)} width={4} height={tall(part)} />
        </g>
      ))}
    </svg>
  );
}

interface LineChartProps {
  readonly low: readonly (number | undefined)[];
  readonly high: readonly (number | undefined)[];
  readonly label: string;
}

/** Two curves on a logarithmic scale: one slow call must not flatten all others. Minutes without calls are gaps. */
export function LineChart({ low, high, label }: LineChartProps) {
  const known = [...low, ...high].filter((value) => value !== undefined && value > 0) as number[];
  if (known.length === 0)
    return (
      <p class="chart-empty muted small" role="img" aria-label={label}>
        No calls in the last hour
      </p>
    );
  const [from, to] = [Math.log10(Math.max(0.05, Math.min(...known))), Math.log10(Math.max(1, ...known))];
  const width = low.length * 5;
  const y = (value: number): number =>
    height - 3 - ((Math.log10(Math.max(value, 0.05)) - from) / Math.max(0.3, to - from)) * (height - 6);
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{`Between ${durationText(Math.min(...known))} and ${durationText(Math.max(...known))}`}</title>
      <rect class="zero" x={0} y={height - 1} width={width} height={1} />
      <path class="curve-thin" d={pathOf(high, y)} />
      <path class="curve" d={pathOf(low, y)} />
    </svg>
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
      const command = isOpen ? "L" : `M${index * 5} ${y(value).toFixed(1)}L`;
      isOpen = true;
      return `${command}${index * 5 + 4} ${y(value).toFixed(1)}`;
    })
    .join("");
}
