import { resolve } from "node:path";
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
  name: "install",
  summary: "connect an MCP client to Clawport: adds an entry to the client's own user file",
  args: [clientArgument],
  options: {
    ...editOptions,
    scope: {
      type: "string",
      value: "<scope>",
      values: ["user"],
      description: "the only scope is user: files of a project are never changed",
    },
  },
  examples: ["clawport install claude-code", "clawport install codex --dry-run", "clawport install cursor --yes"],
  async run(context) {
    const { applyInstall, isInNpxCache, planInstall, requireClient } =
      await import("../../hub/clients/install-client.ts");
    const { homePath, openHomeOf } = await import("../../hub/state/open-home.ts");
    const { cwd, globals, program } = context;
    const client = requireClient(context.args[0] ?? "");
    const config = globals.config && resolve(cwd, globals.config);
    const edit = await planInstall(client, context, { program, home: resolve(homePath(context)), config });
    const isDry = context.options["dry-run"] === true;
    const shown = { ...describeClientEdit(edit), dryRun: isDry };
    if (edit.diff.length > 0) await confirmEdit(context, edit, `Add Clawport to ${client.title}?`);
    if (isDry) return finish(context, shown, "Nothing was written.");
    const home = await openHomeOf(context);
    const applied = await applyInstall(edit, { home, log: context.log, now: new Date() });
    const lines = [
      edit.diff.length > 0
        ? `Added Clawport to ${edit.file.path}.${backupText(applied.backup)}`
        : `${client.title} has this entry already, in ${edit.file.path}.`,
      ...(isInNpxCache(program)
        ? [
            "It leads to npx's cache, which npm may empty. Run `npm install -g clawport` and install it again from there.",
          ]
        : []),
      `Next: ${client.next}`,
      `\`clawport uninstall ${client.id}\` removes it again.`,
    ];
    const data = { ...shown, written: edit.diff.length > 0, backup: applied.backup, token: client.id };
    return finish(context, data, lines.join("\n"));
  },
});
