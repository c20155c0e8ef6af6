import type { Opinion } from "../opinion.ts";

export type NoYes = "nobody is there to give it" | "nobody gave it" | "the answer was no";

export interface DenialFacts {
  /** What was to be done: `git__push`, or `Reading from git`. */
  readonly what: string;
  readonly reasons: readonly Opinion[];
  /** Why there was no yes, where a yes was needed. */
  readonly noYes: NoYes | undefined;
  /** Whether `clawport approve` knows of it. */
  readonly approvable: boolean;
}

/** Says what stood in the way and how to clear it: the reader is a model that passes it on to its person. */
export function denialText({ what, reasons, noYes, approvable }: DenialFacts): string {
  const why = reasons.map(({ reason }) => reason).join(", and ");
  const ways = [
    ...(approvable ? [`Run \`clawport approve ${what}\` to allow it.`] : []),
    ...reasons.flatMap(({ howTo }) => howTo ?? []),
  ];
  const said = noYes === undefined ? `${what} was denied: ${why}.` : `${what} needs a yes, and ${noYes}: ${why}.`;
  return [said, [...new Set(ways)].join(" Or: ")].join(" ").trimEnd();
}

export function limitText(what: string, waitMs: number): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return `${what} was called too often for policy.limits. Try again in ${seconds} s.`;
}
