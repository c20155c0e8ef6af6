import { Fault } from "../../core/fault.ts";
import { installableClients } from "../../sources/servers/import/client-table.ts";
import type { ClientEdit } from "../../hub/clients/install-client.ts";
import type { CommandContext } from "../command-context.ts";

/** What `install` and `uninstall` have in common. */

const names = installableClients.map(({ id }) => id);

export const clientArgument = { name: "client", description: "the client", values: names } as const;

export const editOptions = {
  "dry-run": { type: "boolean", description: "show the change, and write nothing" },
  yes: { type: "boolean", short: "y", description: "don't ask; needed without a terminal" },
} as const;

/** Shows the change and asks, unless the user said yes before. Faults without a terminal and without `--yes`. */
export async function confirmEdit(
  context: CommandContext<typeof editOptions>,
  edit: ClientEdit,
  question: string,
): Promise<void> {
  context.say(renderEdit(context, edit));
  const { "dry-run": isDry, yes } = context.options;
  if (isDry === true || yes === true) return;
  const answer = context.json ? undefined : await context.ask(`${question} [y/N] `);
  if (answer === undefined)
    throw new Fault("usage", "This needs your confirmation, but no one can be asked here. Add --yes or --dry-run.");
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new Fault("cancelled", "Nothing was written.");
}

/** The file and the changed lines. */
function renderEdit({ style }: Pick<CommandContext, "style">, { file, diff }: ClientEdit): string {
  const colours = { "+": style.green, "-": style.red, " ": style.dim };
  const target = file.target === file.path ? "" : ` -> ${file.target}`;
  const head = `${file.path}${target}${file.exists ? "" : " (new)"}`;
  return [style.bold(head), ...diff.map(({ mark, text }) => colours[mark](`${mark} ${text}`)), ""].join("\n");
}

export function describeClientEdit({ client, file, diff }: ClientEdit): Readonly<Record<string, unknown>> {
  return {
    client: client.id,
    file: file.path,
    changed: diff.length > 0,
    diff: diff.map(({ mark, text }) => `${mark} ${text}`),
  };
}

export function finish(context: Pick<CommandContext, "json" | "answer" | "say">, data: unknown, text: string): void {
  if (context.json) context.answer(data, "");
  else context.say(text);
}

export function backupText(backup: string | undefined): string {
  return backup === undefined ? "" : ` The file as it was: ${backup}`;
}
