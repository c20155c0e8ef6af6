import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/peer-text.ts";
import type { TokenLocation } from "../../doors/mcp/main-token.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandGroup, defineCommand } from "../command.ts";
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
    const { mainTokenPath, resetMainToken } = await import("../../doors/mcp/main-token.ts");
    const location = await locateTokens(context);
    await resetMainToken(location);
    const file = mainTokenPath(location);
    context.answer({ path: file }, `Saved a new token to ${file}. The old one no longer works: update your clients.`);
  },
});

const add = defineCommand({
  name: "add",
  summary: "create a token for one client and print it, this once",
  args: [{ name: "name", description: "the token's name" }],
  options: {
    view: { type: "string", value: "<source>", description: "give access to this source only, not to everything" },
  },
  async run(context) {
    const { addNamedToken } = await import("../../doors/mcp/named-tokens.ts");
    const [name = ""] = context.args;
    const { view } = context.options;
    if (view !== undefined) await requireView(context, view);
    const token = (await addNamedToken(await locateTokens(context), name, view)).reveal();
    context.answer({ name, view: view ?? null, token }, token);
  },
});

const list = defineCommand({
  name: "list",
  summary: "list the tokens by name",
  async run(context) {
    const { listNamedTokens } = await import("../../doors/mcp/named-tokens.ts");
    const { renderTable } = await import("../output/table.ts");
    const named = Object.entries(await listNamedTokens(await locateTokens(context)));
    const tokens = [
      { name: "main", view: null, created: null },
      ...named.map(([name, { view, created }]) => ({ name, view: view ?? null, created })),
    ];
    const text = renderTable(
      tokens,
      [
        { title: "NAME", text: ({ name }) => name },
        { title: "OPENS", text: ({ view }) => view ?? "everything" },
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
    const { removeNamedToken } = await import("../../doors/mcp/named-tokens.ts");
    const [name = ""] = context.args;
    await removeNamedToken(await locateTokens(context), name);
    context.answer({ removed: name }, `Removed the token ${name}. It no longer works.`);
  },
});

export const command: CommandGroup = {
  name: "token",
  summary: "manage the tokens that give access to the hub",
  commands: [path, show, reset, add, list, remove],
  examples: ["clawport token show", "clawport token add phone --view notes", "clawport token remove phone"],
};

/** A token for an unknown view would give access to nothing, without a hint why. */
async function requireView(context: CommandContext, view: string): Promise<void> {
  const { loadConfigOf } = await import("../../hub/active-config.ts");
  const { nearestName } = await import("../../core/nearest-name.ts");
  const { config } = await loadConfigOf(context);
  const views = ["agent", ...Object.keys(config.servers)];
  if (views.includes(view)) return;
  const nearest = nearestName(view, views);
  const hint = nearest === undefined ? "" : ` Did you mean ${quoted(nearest)}?`;
  const message = `There is no source ${quoted(view, 100)}.${hint} The sources are: ${views.join(", ")}.`;
  throw new Fault("usage", message);
}

async function locateTokens(context: CommandContext): Promise<TokenLocation> {
  const { openHomeOf } = await import("../../hub/open-home.ts");
  return { home: await openHomeOf(context), env: context.env, log: context.log };
}
