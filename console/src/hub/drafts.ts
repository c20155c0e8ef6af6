import { signal } from "@preact/signals";

/** What was changed on a page, but not saved. */
interface Draft {
  readonly value: unknown;
  /** Names the state of the hub that the draft was made from. */
  readonly base: string;
}

/**
 * Drafts by the id of the page that has them. They survive leaving the page, and end with the tab: a draft of the
 * configuration may have a secret in it, so it is not stored.
 */
const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

export function hasDraft(page: string): boolean {
  return drafts.value.has(page);
}

/** A value of a page that is kept while it differs from what is saved. */
export interface DraftOf<T> {
  readonly value: T;
  readonly isChanged: boolean;
  /** Whether what is saved has changed since the draft was begun. */
  readonly isOld: boolean;
  set(value: T): void;
  discard(): void;
}

export function draftOf<T>(page: string, saved: T, base: string): DraftOf<T> {
  const draft = drafts.value.get(page);
  const forget = (): void => {
    drafts.value = new Map([...drafts.value].filter(([id]) => id !== page));
  };
  return {
    value: draft === undefined ? saved : (draft.value as T),
    isChanged: draft !== undefined,
    isOld: draft !== undefined && draft.base !== base,
    discard: forget,
    set(value) {
      if (JSON.stringify(value) === JSON.stringify(saved)) return forget();
      drafts.value = new Map([...drafts.value, [page, { value, base: draft?.base ?? base }]]);
    },
  };
}

addEventListener("beforeunload", (event) => {
  if (drafts.value.size > 0) event.preventDefault();
});
