import { Fault } from "../fault.ts";
import {
  type Counter,
  createCounter,
  createGauge,
  createHistogram,
  createWatchedMetric,
  type Gauge,
  type Histogram,
  type HistogramFamily,
  type HistogramReading,
  type MetricFamily,
  type MetricReader,
  type WatchedMetric,
} from "./instruments.ts";

/** What `/metrics` answers with (Prometheus text exposition format). */
export const prometheusContentType = "text/plain; version=0.0.4; charset=utf-8";

interface MetricSpec<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly L[];
}

/**
 * Every metric of the process. Asking twice for the same name returns the same instrument, so that parts that do not know
 * each other can share one. Label sets are limited: after two thousand of one name, new ones are counted together as
 * `other`.
 */
export interface Metrics {
  counter<const L extends string = never>(spec: MetricSpec<L>): Counter<L>;
  gauge<const L extends string = never>(spec: MetricSpec<L>): Gauge<L>;
  histogram<const L extends string = never>(spec: MetricSpec<L> & { readonly bounds: readonly number[] }): Histogram<L>;
  /** A gauge or counter that is read on every scrape. Several readers of one name are added up. */
  watch<const L extends string = never>(
    spec: MetricSpec<L> & { readonly type?: "gauge" | "counter" },
    read: MetricReader<L>,
  ): () => void;
  read(): readonly MetricFamily[];
  /** Prometheus text, version 0.0.4. */
  render(): string;
}

interface MetricsOptions {
  /** How many label sets one name may have before new ones are folded into `other`. */
  readonly seriesLimit?: number;
}

export function createMetrics({ seriesLimit = 2000 }: MetricsOptions = {}): Metrics {
  const shapes = new Map<string, string>();
  const counters = new Map<string, Counter<string>>();
  const gauges = new Map<string, Gauge<string>>();
  const histograms = new Map<string, Histogram<string>>();
  const watches = new Map<string, WatchedMetric>();

  function register<T>(kind: string, spec: MetricSpec<string>, known: Map<string, T>, make: () => T): T {
    checkNames(spec);
    const shape = [kind, ...(spec.labels ?? [])].join(" ");
    const before = shapes.get(spec.name) ?? shape;
    if (before !== shape) {
      throw new Fault("internal", `The metric ${spec.name} already exists as «${before}», not as «${shape}».`);
    }
    shapes.set(spec.name, shape);
    const instrument = known.get(spec.name) ?? make();
    known.set(spec.name, instrument);
    return instrument;
  }

  const metrics: Metrics = {
    counter: (spec) => register("counter", spec, counters, () => createCounter<string>(spec, seriesLimit)),
    gauge: (spec) => register("gauge", spec, gauges, () => createGauge<string>(spec, seriesLimit)),
    histogram(spec) {
      const make = () => createHistogram<string>(spec, spec.bounds, seriesLimit);
      return register("histogram", spec, histograms, make);
    },
    watch(spec, read) {
      const type = spec.type ?? "gauge";
      return register(`watched ${type}`, spec, watches, () => createWatchedMetric(spec, type, seriesLimit)).add(read);
    },
    read() {
      const all = [...counters.values(), ...gauges.values(), ...histograms.values(), ...watches.values()];
      return all.map((metric) => metric.read());
    },
    render: () => renderPrometheus(metrics.read()),
  };
  return metrics;
}

function checkNames({ name, labels = [] }: MetricSpec<string>): void {
  if (!/^[A-Za-z_:][A-Za-z0-9_:]*$/.test(name)) throw new Fault("internal", `«${name}» can't be the name of a metric.`);
  const bad = labels.find((label) => !/^(?!__)[A-Za-z_][A-Za-z0-9_]*$/.test(label) || label === "le");
  if (bad !== undefined) throw new Fault("internal", `«${bad}» can't be a label of the metric ${name}.`);
}

/** Prometheus text exposition format 0.0.4. */
function renderPrometheus(families: readonly MetricFamily[]): string {
  const lines: string[] = [];
  for (const family of families) {
    if (family.series.length === 0) continue;
    lines.push(`# HELP ${family.name} ${escapeHelp(family.help)}`, `# TYPE ${family.name} ${family.type}`);
    if (family.type === "histogram") {
      for (const reading of family.series) lines.push(...histogramLines(family, reading));
    } else {
      for (const { values, value } of family.series) {
        lines.push(`${family.name}${labelPart(family.labels, values)} ${numberText(value)}`);
      }
    }
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function histogramLines(family: HistogramFamily, { values, counts, sum }: HistogramReading): string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    const bound = numberText(family.bounds[index] ?? Infinity);
    return `${family.name}_bucket${labelPart([...family.labels, "le"], [...values, bound])} ${total}`;
  });
  const labels = labelPart(family.labels, values);
  return [...buckets, `${family.name}_sum${labels} ${numberText(sum)}`, `${family.name}_count${labels} ${total}`];
}

function labelPart(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return "";
  return `{${names.map((name, index) => `${name}="${escapeValue(values[index] ?? "")}"`).join(",")}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}

function numberText(value: number): string {
  if (value === Infinity) return "+Inf";
  if (value === -Infinity) return "-Inf";
  return String(value);
}
