import type { Instrument, InstrumentSpec } from "./instruments.ts";
import { createBoundGauge, readNumbers } from "./instruments.ts";
import type { Labels } from "./series-table.ts";
import { createSeriesTable } from "./series-table.ts";

/** Says what is true now; called on every scrape, so it only looks and never waits. */
export type Reader<L extends string> = () => Iterable<readonly [labels: Labels<L>, value: number]>;

/** A metric that keeps no number of its own: it asks its readers. */
export interface Watch extends Instrument {
  add(reader: Reader<string>): () => void;
}

export function createWatch(spec: InstrumentSpec<string>, type: "gauge" | "counter", limit: number): Watch {
  const readers = new Set<Reader<string>>();
  return {
    add(reader) {
      const own: Reader<string> = () => reader();
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
