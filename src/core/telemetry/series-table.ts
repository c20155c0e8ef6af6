export type Labels<L extends string> = Readonly<Record<L, string>>;

interface Series<S> {
  /** In the order of the label names. */
  readonly values: readonly string[];
  readonly state: S;
}

/** The label sets of one metric: at most `limit`, and one more, `other`, for the rest. */
export interface SeriesTable<L extends string, S> {
  at(labels: Labels<L>): S;
  all(): Iterable<Series<S>>;
}

const longestValue = 128;

export function createSeriesTable<L extends string, S>(
  names: readonly L[],
  limit: number,
  make: () => S,
): SeriesTable<L, S> {
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
  return (value.length > longestValue ? value.slice(0, longestValue) : value).replaceAll("\0", "").toWellFormed();
}
