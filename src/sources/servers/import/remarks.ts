/** Collects what is to be said of one server while it is converted. */
export interface Remarks {
  /** Once each, however often it is said. */
  note(text: string): void;
  /** It can't be taken; the first reason counts. */
  refuse(reason: string): void;
  readonly notes: readonly string[];
  readonly refusal: string | undefined;
}

export function createRemarks(): Remarks {
  const notes = new Set<string>();
  let refusal: string | undefined;
  return {
    note: (text) => void notes.add(text),
    refuse: (reason) => void (refusal ??= reason),
    get notes() {
      return [...notes];
    },
    get refusal() {
      return refusal;
    },
  };
}
