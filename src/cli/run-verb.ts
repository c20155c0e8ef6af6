import { withDeadline } from "../core/wait.ts";
import { type Need, openControl, type OpenedControl } from "../hub/control/open-control.ts";
import type { VerbContext, VerbResult } from "../hub/verbs/verb.ts";
import type { CommandContext } from "./command-context.ts";

interface Work {
  readonly need: Need;
  readonly trust: boolean | undefined;
  /** When it is stopped it puts away what it began, and that is waited for. */
  readonly tidies?: boolean;
  /** It shows connections: without a hub those are of this command alone, and somebody has to say so. */
  readonly showsConnections?: boolean;
  run(context: VerbContext, opened: OpenedControl): Promise<VerbResult>;
}

const noHub = "No hub runs: what was connected is closed again. One that keeps servers is started with: clawport up";

/** As long as one answer of an authorization server may take. */
const longestTidyingMs = 20_000;

/** Runs a handler on the hub's servers or on our own, prints what it found, and gives the exit code. */
export async function runVerb(context: CommandContext, work: Work): Promise<number> {
  const { need, trust, tidies, showsConnections } = work;
  const opened = await openControl(context, need, trust === true);
  let running: Promise<VerbResult> | undefined;
  const begin = (): Promise<VerbResult> =>
    (running = work.run({ control: opened.control, prefix: "clawport", now: Date.now }, opened));
  try {
    // Servers of ours run in process groups of their own, which Ctrl-C does not reach: somebody has to close them.
    const handled = await (opened.hub ? begin() : withDeadline(Infinity, context.stopSignal(), begin));
    context.answer(handled.data, handled.text);
    const isTold = showsConnections && opened.hub === undefined && !context.json && !context.globals.quiet;
    if (isTold) context.stderr.write(`${noHub}\n`);
    return handled.ok ? 0 : 1;
  } finally {
    await opened.close();
    if (tidies === true) await withDeadline(longestTidyingMs, undefined, async () => running).catch(() => {});
  }
}
