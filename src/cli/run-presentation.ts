import { asRecord } from "../core/is-record.ts";
import { withDeadline } from "../core/wait.ts";
import { type Need, openControl, type OpenedControl } from "../hub/open-control.ts";
import type { PresentationContext, Presented } from "../hub/presentation/presentation.ts";
import type { CommandContext } from "./command-context.ts";
import { pasteable } from "./output/pasteable.ts";

interface Work {
  readonly need: Need;
  readonly trust: boolean | undefined;
  /** Whether it cleans up after itself when it is stopped; the command waits for that. */
  readonly tidies?: boolean;
  /** Whether it shows connections. Without a hub those end with the command, and a hint says so. */
  readonly showsConnections?: boolean;
  run(context: PresentationContext, opened: OpenedControl): Promise<Presented>;
}

const noHub = "No hub is running, so these connections were closed again. Run `clawport up` to keep servers connected.";

/** As long as one response of an authorization server may take. */
const maxTidyingMs = 20_000;

/** Runs a handler on the hub's servers or on our own, prints its result, and returns the exit code. */
export async function runPresentation(context: CommandContext, work: Work): Promise<number> {
  const { need, trust, tidies, showsConnections } = work;
  const { renderTable } = await import("./output/table.ts");
  const opened = await openControl(context, need, trust === true);
  const { control } = opened;
  const heading: PresentationContext["heading"] = (text) => context.style.bold(text);
  const table: PresentationContext["table"] = (rows, columns) => renderTable(rows, columns, context);
  let running: Promise<Presented> | undefined;
  const begin = (): Promise<Presented> =>
    (running = work.run({ control, prefix: "clawport", now: Date.now, table, heading }, opened));
  try {
    // Our servers run in their own process groups, which Ctrl-C does not reach, so they have to be closed here.
    const handled = await (opened.hub ? begin() : withDeadline(Infinity, context.stopSignal(), begin));
    context.answer(handled.data, handled.text);
    const { servers } = asRecord(handled.data);
    const isEmpty = Array.isArray(servers) && servers.length === 0;
    const showsHint =
      showsConnections && !isEmpty && opened.hub === undefined && !context.json && !context.globals.quiet;
    if (showsHint) context.stderr.write(`${pasteable(noHub, context)}\n`);
    return handled.ok ? 0 : 1;
  } finally {
    await opened.close();
    if (tidies === true) await withDeadline(maxTidyingMs, undefined, async () => running).catch(() => {});
  }
}
