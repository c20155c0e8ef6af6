import { type ReadonlySignal, signal } from "@preact/signals";
import { type Fault, toFault } from "../../../../src/core/fault.ts";
import { onHubEvent } from "../../hub/events.ts";

type Filter = Readonly<Record<string, string>>;

interface PagedListOptions<Row> {
  readonly pageSize: number;
  /** What makes the rows stale. */
  readonly events: readonly string[];
  load(
    filter: Filter,
    offset: number,
    limit: number,
  ): Promise<{ readonly total: number; readonly rows: readonly Row[] }>;
}

/** A long list at the hub, of which the pages in view are loaded. */
export interface PagedList<Row> {
  /** How many rows match; undefined until it is known. */
  readonly total: ReadonlySignal<number | undefined>;
  readonly fault: ReadonlySignal<Fault | undefined>;
  /** Undefined while its page is on the way. */
  at(index: number): Row | undefined;
  filter(filter: Filter): void;
  /** After a fault. */
  retry(): void;
  /** Loads what is missing of these rows. */
  need(from: number, to: number): void;
}

const gatherMs = 150;

export function createPagedList<Row>({ pageSize, events, load }: PagedListOptions<Row>): PagedList<Row> {
  const total = signal<number | undefined>(undefined);
  const fault = signal<Fault | undefined>(undefined);
  const pages = signal<ReadonlyMap<number, readonly Row[]>>(new Map());
  let filter: Filter = {};
  /** Answers to an earlier filter, or to an earlier state of the hub, are dropped. */
  let turn = 0;
  let asked = new Set<number>();
  let inView: readonly [number, number] = [0, 1];
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function fetchPage(page: number): Promise<void> {
    const mine = turn;
    const isFirst = asked.size === 0;
    asked.add(page);
    try {
      const answer = await load(filter, page * pageSize, pageSize);
      if (mine !== turn) return;
      pages.value = new Map([...(isFirst ? [] : pages.value), [page, answer.rows]]);
      total.value = answer.total;
      fault.value = undefined;
    } catch (error) {
      if (mine !== turn) return;
      asked.delete(page);
      fault.value = toFault(error);
    }
  }

  function need(from: number, to: number): void {
    inView = [from, to];
    for (let page = Math.floor(from / pageSize); page * pageSize < Math.max(to, from + 1); page++)
      if (!asked.has(page)) void fetchPage(page);
  }

  function begin(): void {
    turn += 1;
    asked = new Set();
    need(...inView);
  }

  onHubEvent(({ type }) => {
    if (total.value === undefined || !(type === "hello" || events.includes(type))) return;
    clearTimeout(timer);
    timer = setTimeout(begin, gatherMs);
  });

  return {
    total,
    fault,
    at: (index) => pages.value.get(Math.floor(index / pageSize))?.[index % pageSize],
    filter(next) {
      if (total.value !== undefined && JSON.stringify(next) === JSON.stringify(filter)) return;
      filter = next;
      inView = [0, 1];
      begin();
    },
    retry: begin,
    need(from, to) {
      // Before the first filter nothing is loaded.
      if (turn > 0) need(from, to);
    },
  };
}
