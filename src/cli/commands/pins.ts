import type { HeldDefinition } from "../../catalog/guard/held-definition.ts";
import { countText } from "../../core/text/count-text.ts";
import { Fault } from "../../core/fault.ts";
import { type CommandGroup, defineCommand } from "../command.ts";
import { localTime } from "../output/style.ts";
import type { Column } from "../../hub/presentation/presentation.ts";

const list = defineCommand({
  name: "list",
  summary: "list the tools, prompts and instructions that are held back",
  async run(context) {
    const { renderTable } = await import("../output/table.ts");
    const { openFolderControl } = await import("../../hub/control/folder-control.ts");
    await using opened = await openFolderControl(context);
    const held = await opened.control.pins.list();
    const text =
      held.length === 0
        ? "Nothing is held back: no server has changed a definition that waits for approval."
        : `${renderTable(held, columns, context)}\n\nRun \`clawport approve <name>\` to see one and accept it; with \`--deny\`, to reject it.`;
    context.answer({ held }, text);
  },
});

const forget = defineCommand({
  name: "forget",
  summary: "forget the pins of a server, so that everything it lists now is accepted",
  args: [{ name: "server", description: "its name, as `clawport servers` shows it", completes: "servers" }],
  options: { yes: { type: "boolean", short: "y", description: "do not ask for confirmation" } },
  async run(context) {
    const { openFolderControl } = await import("../../hub/control/folder-control.ts");
    const { isYes } = await import("../terminal/read-line.ts");
    const { isAttended, options } = context;
    const [server = ""] = context.args;
    await using opened = await openFolderControl(context);
    if (isAttended && !options.yes) {
      const question = `Accept everything that ${server} lists now, without seeing what has changed? [y/N] `;
      if (!isYes((await context.ask(question)) ?? "")) throw new Fault("cancelled", "Nothing was changed.");
    }
    const { forgotten } = await opened.control.pins.forget({ server, confirmed: isAttended });
    context.answer({ server, forgotten }, `Forgot ${countText(forgotten, "pin")} of ${server}.`);
  },
});

export const command: CommandGroup = {
  name: "pins",
  summary: "show what servers changed or added, and what is held back until you approve it",
  commands: [list, forget],
  fallback: "list",
  examples: ["clawport pins", "clawport pins --json", "clawport pins forget files"],
};

const columns: readonly Column<HeldDefinition>[] = [
  { title: "NAME", text: ({ name }) => name },
  { title: "SERVER", text: ({ source }) => source },
  { title: "KIND", text: ({ kind }) => kind },
  { title: "CHANGE", text: ({ state }) => changes[state] },
  {
    title: "CLIENTS SEE",
    text: ({ shown, state }) => (shown === "listed" && state === "new" ? "the new one" : sights[shown]),
  },
  { title: "SINCE", text: ({ since }) => localTime(since) },
];

const changes: Readonly<Record<HeldDefinition["state"], string>> = {
  new: "new",
  flagged: "found by screening",
  changed: "changed",
  withdrawn: "changed, then changed back",
  refused: "rejected",
};

const sights: Readonly<Record<HeldDefinition["shown"], string>> = {
  listed: "the pinned one",
  pinned: "the pinned one",
  withheld: "it without its words",
  hidden: "nothing",
};
