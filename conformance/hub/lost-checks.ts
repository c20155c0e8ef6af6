import type { ScenarioResult } from "../read-results.ts";
import { originReason, rootsReason, waitsReason } from "./expected-failures.ts";

const pollingReason =
  "The hub answers its client from its own stream, which it does not close in the middle of a call when a server closes its own.";

/** The checks that a server loses behind a hub: those that fail, and those that then never run. */
const expected: Readonly<Record<string, { readonly checks: number; readonly why: string }>> = {
  "dns-rebinding-protection": { checks: 1, why: originReason },
  "input-required-result-basic-list-roots": { checks: 2, why: rootsReason },
  "input-required-result-multiple-input-requests": { checks: 2, why: rootsReason },
  "server-sse-polling": { checks: 3, why: pollingReason },
  "tasks-required-task-error": { checks: 2, why: waitsReason },
};

export interface LostChecks {
  readonly lines: readonly string[];
  /** Whether exactly those are lost that are known to be. */
  readonly isExpected: boolean;
}

/** Compares the same suite, directly and through a hub. */
export function compareThroughHub(direct: readonly ScenarioResult[], hub: readonly ScenarioResult[]): LostChecks {
  const passedIn = (results: readonly ScenarioResult[], name: string) =>
    results.filter(({ scenario }) => scenario === name).reduce((sum, { passed }) => sum + passed, 0);
  const names = [...new Set([...direct, ...hub].map(({ scenario }) => scenario))].sort();
  const lost = names.flatMap((name) => {
    const checks = passedIn(direct, name) - passedIn(hub, name);
    return checks === 0 ? [] : [{ name, checks }];
  });
  const total = direct.reduce((sum, { passed }) => sum + passed, 0);
  const through = hub.reduce((sum, { passed }) => sum + passed, 0);
  const lines = lost.map(({ name, checks }) => `LOST ${name}: ${checks}: ${expected[name]?.why ?? "not expected"}`);
  const isExpected =
    lost.length === Object.keys(expected).length && lost.every(({ name, checks }) => expected[name]?.checks === checks);
  return { lines: [`Through the hub: ${through} of ${total} checks`, ...lines], isExpected };
}
