import { type ReadonlySignal, signal } from "@preact/signals";
import { type Fault, toFault } from "../../../../src/core/fault.ts";
import type { AuditSearch, FoundCall } from "../../../../src/hub/control/queries/search-audit.ts";
import { hub } from "../../hub/control.ts";
import { onHubEvent } from "../../hub/events.ts";

interface CallListState {
  /** Newest first. */
  readonly lines: readonly FoundCall[];
  /** New ones that are held back while someone reads; newest first. */
  readonly fresh: readonly FoundCall[];
  readonly searched: number;
  readonly isKnown: boolean;
  /** Whether there is nothing older. */
  readonly isComplete: boolean;
}

/** The calls that match a filter: older ones are loaded as they are needed, new ones come by themselves. */
export interface CallList {
  readonly state: ReadonlySignal<CallListState>;
  readonly fault: ReadonlySignal<Fault | undefined>;
  filter(filter: AuditSearch): void;
  /** While true, rows stay where they are. */
  setReading(isReading: boolean): void;
  /** Shows the new ones that were held back. */
  showFresh(): void;
  /** After a fault. */
  retry(): void;
  /** Loads more if this row is near the end. */
  need(row: number): void;
  stop(): void;
}

const pageSize = 200;
const gatherMs = 300;
const nothing: CallListState = { lines: [], fresh: [], searched: 0, isKnown: false, isComplete: false };

export function createCallList(): CallList {
  const state = signal(nothing);
  const fault = signal<Fault | undefined>(undefined);
  let filter: AuditSearch | undefined;
  let turn = 0;
  let next: string | undefined;
  let isLoading = false;
  let isReading = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function load(
    query: AuditSearch,
    use: (found: Awaited<ReturnType<typeof hub.audit.search>>) => void,
  ): Promise<void> {
    const mine = turn;
    isLoading = true;
    try {
      const found = await hub.audit.search(query);
      if (mine !== turn) return;
      use(found);
      fault.value = undefined;
    } catch (error) {
      if (mine === turn) fault.value = toFault(error);
    } finally {
      if (mine === turn) isLoading = false;
    }
  }

  function begin(): Promise<void> {
    turn += 1;
    return load({ ...filter, limit: pageSize }, (found) => {
      next = found.next;
      state.value = {
        lines: found.lines,
        fresh: [],
        searched: found.searched,
        isKnown: true,
        isComplete: found.next === undefined,
      };
    });
  }

  /** What came since: usually a few lines before those that are known. */
  async function catchUp(): Promise<void> {
    timer = undefined;
    if (isLoading || filter === undefined) return schedule();
    const newest = (state.value.fresh[0] ?? state.value.lines[0])?.id;
    if (newest === undefined) return begin();
    await load({ ...filter, limit: pageSize }, (found) => {
      const known = found.lines.findIndex(({ id }) => id === newest);
      // More than a page came at once: those in between are loaded when the list begins anew.
      const came = known === -1 ? found.lines : found.lines.slice(0, known);
      if (came.length === 0) return;
      if (known === -1 && !isReading) {
        next = found.next;
        state.value = { ...state.value, lines: found.lines, fresh: [], isComplete: found.next === undefined };
        return;
      }
      state.value = { ...state.value, fresh: known === -1 ? came : [...came, ...state.value.fresh] };
      if (!isReading) showFresh();
    });
  }

  function showFresh(): void {
    const { fresh, lines } = state.value;
    if (fresh.length >= pageSize) return void begin();
    state.value = { ...state.value, lines: [...fresh, ...lines], fresh: [] };
  }

  function schedule(): void {
    timer ??= setTimeout(() => void catchUp(), gatherMs);
  }

  const stopListening = onHubEvent(({ type }) => {
    if ((type === "audit" || type === "hello") && filter !== undefined) schedule();
  });

  return {
    state,
    fault,
    filter(wanted) {
      if (filter !== undefined && JSON.stringify(wanted) === JSON.stringify(filter)) return;
      filter = wanted;
      void begin();
    },
    setReading(reads) {
      isReading = reads;
    },
    showFresh,
    retry: () => void begin(),
    need(row) {
      const { lines, isComplete } = state.value;
      if (isLoading || isComplete || next === undefined || row < lines.length - pageSize / 2) return;
      void load({ ...filter, before: next, limit: pageSize }, (found) => {
        next = found.next;
        const more = [...state.value.lines, ...found.lines];
        state.value = { ...state.value, lines: more, isComplete: found.next === undefined };
      });
    },
    stop() {
      turn += 1;
      clearTimeout(timer);
      stopListening();
    },
  };
}
