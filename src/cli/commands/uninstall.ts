import { defineCommand } from "../command.ts";
import {
  backupText,
  clientArgument,
  confirmEdit,
  describeClientEdit,
  editOptions,
  finish,
} from "../output/client-edit.ts";

export const command = defineCommand({
  name: "uninstall",
  summary: "remove Clawport from an MCP client: takes out the entry and revokes the client's token",
  args: [clientArgument],
  options: editOptions,
  examples: ["clawport uninstall claude-code", "clawport uninstall codex --dry-run"],
  async run(context) {
    const { applyUninstall, planUninstall, requireClient } = await import("../../hub/clients/install-client.ts");
    const { openHomeOf } = await import("../../hub/state/open-home.ts");
    const client = requireClient(context.args[0] ?? "");
    const edit = await planUninstall(client, context);
    const isDry = context.options["dry-run"] === true;
    const shown = { ...describeClientEdit(edit), dryRun: isDry };
    const hasEntry = edit.diff.length > 0;
    if (hasEntry) await confirmEdit(context, edit, `Remove Clawport from ${client.title}?`);
    if (isDry)
      return finish(context, shown, hasEntry ? "Nothing was written." : `${edit.file.path} has no entry of Clawport.`);
    const home = await openHomeOf(context);
    const { backup, token } = await applyUninstall(edit, { home, log: context.log, now: new Date() });
    const entry = hasEntry
      ? `Removed Clawport from ${edit.file.path}.${backupText(backup)}`
      : `${edit.file.path} has no entry of Clawport.`;
    const text = token ? `${entry}\nThe token ${client.id} no longer works.` : entry;
    return finish(context, { ...shown, written: hasEntry, backup, revoked: token }, text);
  },
});
