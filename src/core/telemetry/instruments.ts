interface FamilyBase {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export interface NumberFamily extends FamilyBase {
  readonly type: "counter" | "gauge";
  readonly series: readonly { readonly values: readonly string[]; readonly value: number }[];
}

export interface HistogramFamily extends FamilyBase {
  readonly type: "histogram";
  readonly bounds: readonly number[];
  readonly series: readonly HistogramReading[];
}

export interface HistogramReading {
  readonly values: readonly string[];
  /** How many values fell into each bucket, not cumulative. One more than there are bounds: the last is above them all. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** The current values of one metric, for export. */
export type MetricFamily = NumberFamily | HistogramFamily;

export interface Instrument {
  read(): MetricFamily;
}

/** Keep what `bind` returns on hot paths: it skips the lookup. */
interface Bindable<L extends string, B> {
  bind(labels: Labels<L>): B;
}

export interface BoundCounter {
  inc(by?: number): void;
}

export interface BoundGauge {
  set(value: number): void;
  add(by: number): void;
}

export interface BoundHistogram {
  observe(value: number): void;
}

export interface Counter<L extends string> extends Instrument, Bindable<L, BoundCounter> {
  inc(labels: Labels<L>, by?: number): void;
}

export interface Gauge<L extends string> extends Instrument, Bindable<L, BoundGauge> {
  set(labels: Labels<L>, value: number): void;
  add(labels: Labels<L>, by: number): void;
}

export interface Histogram<L extends string> extends Instrument, Bindable<L, BoundHistogram> {
  observe(labels: Labels<L>, value: number): void;
}

export interface InstrumentSpec<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly L[];
}

export function createCounter<L extends string>(spec: InstrumentSpec<L>, limit: number): Counter<L> {
  const table = createSeriesTable(spec.labels ?? [], limit, createBoundCounter);
  return {
    inc: (labels, by) => table.at(labels).inc(by),
    bind: (labels) => table.at(labels),
    read: () => readNumbers(spec, "counter", table),
  };
}

export function createGauge<L extends string>(spec: InstrumentSpec<L>, limit: number): Gauge<L> {
  const table = createSeriesTable(spec.labels ?? [], limit, createBoundGauge);
  return {
    set: (labels, value) => table.at(labels).set(value),
    add: (labels, by) => table.at(labels).add(by),
    bind: (labels) => table.at(labels),
    read: () => readNumbers(spec, "gauge", table),
  };
}

export function createHistogram<L extends string>(
  spec: InstrumentSpec<L>,
  bounds: readonly number[],
  limit: number,
): Histogram<L> {
  const table = createSeriesTable(spec.labels ?? [], limit, () => createBoundHistogram(bounds));
  return {
    observe: (labels, value) => table.at(labels).observe(value),
    bind: (labels) => table.at(labels),
    read: () => ({
      name: spec.name,
      help: spec.help,
      labels: spec.labels ?? [],
      type: "histogram",
      bounds,
      series: Array.from(table.all(), ({ values, state }) => ({ values, ...state.read() })),
    }),
  };
}

function readNumbers<L extends string>(
  spec: InstrumentSpec<L>,
  type: "counter" | "gauge",
  table: SeriesTable<L, { read(): number }>,
): NumberFamily {
  const series = Array.from(table.all(), ({ values, state }) => ({ values, value: state.read() }));
  return { name: spec.name, help: spec.help, labels: spec.labels ?? [], type, series };
}

function createBoundCounter(): BoundCounter & { read(): number } {
  let total = 0;
  return {
    inc(by = 1) {
      if (by > 0) total += by; // a counter never falls, and a NaN would stay forever
    },
    read: () => total,
  };
}

function createBoundGauge(): BoundGauge & { read(): number } {
  let current = 0;
  return {
    set(value) {
      current = value;
    },
    add(by) {
      current += by;
    },
    read: () => current,
  };
}

function createBoundHistogram(
  bounds: readonly number[],
): BoundHistogram & { read(): { counts: readonly number[]; sum: number } } {
  const limits = Float64Array.from(bounds);
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    observe(value) {
      if (Number.isNaN(value)) return;
      let bucket = 0;
      // A bucket holds what is less than or equal to its bound; a read past the end is undefined and ends the loop.
      while (value > (limits[bucket] ?? Infinity)) bucket++;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      sum += value;
    },
    read: () => ({ counts: Array.from(counts), sum }),
  };
}

/** Returns the current values. Called on every scrape, so it must not wait. */
export type MetricReader<L extends string> = () => Iterable<readonly [labels: Labels<L>, value: number]>;

/** A metric without values of its own: it asks its readers. */
export interface WatchedMetric extends Instrument {
  add(reader: MetricReader<string>): () => void;
}

export function createWatchedMetric(
  spec: InstrumentSpec<string>,
  type: "gauge" | "counter",
  limit: number,
): WatchedMetric {
  const readers = new Set<MetricReader<string>>();
  return {
    add(reader) {
      const own: MetricReader<string> = () => reader();
      readers.add(own);
      return () => {
        readers.delete(own);
      };
    },
    read() {
      const table = createSeriesTable(spec.labels ?? [], limit, createBoundGauge);
      for (const reader of readers) {
        for (const [labels, value] of reader()) table.at(labels).add(value);
      }
      return readNumbers(spec, type, table);
    },
  };
}

type Labels<L extends string> = Readonly<Record<L, string>>;

interface Series<S> {
  /** In the order of the label names. */
  readonly values: readonly string[];
  readonly state: S;
}

/** The label sets of one metric: at most `limit`, and one more, `other`, for the rest. */
interface SeriesTable<L extends string, S> {
  at(labels: Labels<L>): S;
  all(): Iterable<Series<S>>;
}

const maxValueLength = 128;

function createSeriesTable<L extends string, S>(names: readonly L[], limit: number, make: () => S): SeriesTable<L, S> {
  const series = new Map<string, Series<S>>();

  function add(key: string, values: readonly string[]): S {
    const state = make();
    series.set(key, { values, state });
    return state;
  }

  // A metric without labels exists from the start: zero is a value, too.
  if (names.length === 0) add("", []);

  return {
    at(labels) {
      const values = names.map((name) => boundedValue(labels[name]));
      const key = values.join("\0");
      const known = series.get(key);
      if (known !== undefined) return known.state;
      if (series.size < limit) return add(key, values);
      const others = names.map(() => "other");
      const otherKey = others.join("\0");
      return series.get(otherKey)?.state ?? add(otherKey, others);
    },
    all: () => series.values(),
  };
}

/** NUL separates the values of a key, so no value may contain one. */
function boundedValue(value: string): string {
  return (value.length > maxValueLength ? value.slice(0, maxValueLength) : value).replaceAll("\0", "").toWellFormed();
}
