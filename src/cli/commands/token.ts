import type { TokenLocation } from "../../doors/mcp/main-token.ts";
import type { SurfaceSetting } from "../../doors/mcp/surface/choose-surface.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandGroup, defineCommand } from "../command.ts";
import { surfaceOption } from "../options.ts";
import { programName } from "../output/pasteable.ts";
import { localTime } from "../output/style.ts";

const path = defineCommand({
  name: "path",
  summary: "print the path of the main token's file",
  async run(context) {
    const { mainTokenPath } = await import("../../doors/mcp/main-token.ts");
    const file = mainTokenPath(await locateTokens(context));
    context.answer({ path: file }, file);
  },
});

const show = defineCommand({
  name: "show",
  summary: "print the main token",
  async run(context) {
    const { ensureMainToken } = await import("../../doors/mcp/main-token.ts");
    const token = (await ensureMainToken(await locateTokens(context))).reveal();
    context.answer({ token }, token);
  },
});

const reset = defineCommand({
  name: "reset",
  summary: "create a new main token; a running hub uses it at once",
  async run(context) {
    const { createFolderControl } = await import("../../hub/control/folder-control.ts");
    const { openHomeOf } = await import("../../hub/state/open-home.ts");
    // Not through the hub: a lost or damaged token, which this repairs, would not open it.
    const { path: file } = await createFolderControl(context, await openHomeOf(context)).tokens.reset();
    context.answer({ path: file }, `Saved a new token to ${file}. The old one no longer works: update your clients.`);
  },
});

const add = defineCommand({
  name: "add",
  summary: "create a token for one client and print it, this once",
  args: [{ name: "name", description: "the token's name" }],
  options: {
    view: {
      type: "string",
      multiple: true,
      value: "<source>",
      completes: "servers",
      description: "give access to this source only, not to everything",
    },
    ...surfaceOption,
    metrics: { type: "boolean", description: "give access to /metrics only" },
  },
  async run(context) {
    const { openFolderControl } = await import("../../hub/control/folder-control.ts");
    const [name = ""] = context.args;
    await using opened = await openFolderControl(context);
    const { view, metrics } = context.options;
    const surface = context.options.surface as SurfaceSetting | undefined;
    const added = await opened.control.tokens.add({ name, views: view, metrics, surface });
    context.answer(added, added.token);
    // Beside the token, so that a script can capture it alone.
    if (!context.json && !context.globals.quiet)
      context.stderr.write(
        `This is the only time it is shown. The client sends it as "Authorization: Bearer <token>"; \`${programName(context)} token remove ${name}\` revokes it.\n`,
      );
  },
});

const list = defineCommand({
  name: "list",
  summary: "list the tokens by name",
  async run(context) {
    const { openFolderControl } = await import("../../hub/control/folder-control.ts");
    const { renderTable } = await import("../output/table.ts");
    await using opened = await openFolderControl(context);
    const tokens = await opened.control.tokens.list();
    const text = renderTable(
      tokens,
      [
        { title: "NAME", text: ({ name }) => name },
        {
          title: "OPENS",
          text: ({ view, metrics }) => (metrics ? "metrics" : [view ?? "everything"].flat().join(", ")),
        },
        { title: "SURFACE", text: ({ surface, metrics }) => (metrics ? "" : (surface ?? "as configured")) },
        { title: "SINCE", text: ({ created }) => (created === null ? "first start" : localTime(created)) },
      ],
      context,
    );
    context.answer({ tokens }, text);
  },
});

const remove = defineCommand({
  name: "remove",
  summary: "revoke a client's token",
  args: [{ name: "name", description: "the token's name" }],
  async run(context) {
    const { openFolderControl } = await import("../../hub/control/folder-control.ts");
    const [name = ""] = context.args;
    await using opened = await openFolderControl(context);
    await opened.control.tokens.remove({ name });
    context.answer({ removed: name }, `Removed the token ${name}. It no longer works.`);
  },
});

export const command: CommandGroup = {
  name: "token",
  summary: "manage the tokens that give access to the hub",
  commands: [path, show, reset, add, list, remove],
  examples: [
    "clawport token show",
    "clawport token add phone --view notes --view files",
    "clawport token add prometheus --metrics",
    "clawport token remove phone",
  ],
};

async function locateTokens(context: CommandContext): Promise<TokenLocation> {
  const { openHomeOf } = await import("../../hub/state/open-home.ts");
  return { home: await openHomeOf(context), env: context.env, log: context.log };
}
