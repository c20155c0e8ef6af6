import type { UsageTally } from "../../../../src/catalog/usage/usage-report.ts";

/** What rows are sorted and compared by. */
export const measures = [
  { id: "calls", title: "Calls", of: ({ calls }: UsageTally) => calls },
  { id: "errors", title: "Errors", of: ({ errors }: UsageTally) => errors },
  { id: "in", title: "Tokens in", of: ({ tokensIn }: UsageTally) => tokensIn },
  { id: "out", title: "Tokens out", of: ({ tokensOut }: UsageTally) => tokensOut },
] as const;

/** The ledger's name of a source, in words where it is none that a user gave. */
export function sourceWords(source: string): string {
  return specialSources.get(source) ?? source;
}

const specialSources: ReadonlyMap<string, string> = new Map([
  ["-", "tools that do not exist"],
  ["app", "apps"],
  ["results", "large results"],
]);

/** `16 Nov`. Days of the ledger are those of UTC. */
export function dayWords(day: string): string {
  return dayFormat.format(new Date(`${day}T00:00:00Z`));
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** `today`, `the last 7 days`. */
export function periodWords(days: number): string {
  return days === 1 ? "today" : `the last ${days} days`;
}
