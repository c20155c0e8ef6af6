import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/peer-text.ts";
import type { TokenLocation } from "../../doors/mcp/main-token.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandGroup, defineCommand } from "../command.ts";

const path = defineCommand({
  name: "path",
  summary: "say where the main token is",
  async run(context) {
    const { mainTokenPath } = await import("../../doors/mcp/main-token.ts");
    const file = mainTokenPath(await tokenPlaceOf(context));
    context.answer({ path: file }, file);
  },
});

const show = defineCommand({
  name: "show",
  summary: "print the main token",
  async run(context) {
    const { ensureMainToken } = await import("../../doors/mcp/main-token.ts");
    const token = (await ensureMainToken(await tokenPlaceOf(context))).reveal();
    context.answer({ token }, token);
  },
});

const reset = defineCommand({
  name: "reset",
  summary: "make a new main token; a running hub takes it up at once",
  async run(context) {
    const { mainTokenPath, resetMainToken } = await import("../../doors/mcp/main-token.ts");
    const place = await tokenPlaceOf(context);
    await resetMainToken(place);
    const file = mainTokenPath(place);
    context.answer(
      { path: file },
      `${file} holds a new token; the old one opens nothing any more. Give it to your clients.`,
    );
  },
});

const add = defineCommand({
  name: "add",
  summary: "make a token for one client and print it, this once",
  args: [{ name: "name", description: "what to call it" }],
  options: {
    view: { type: "string", value: "<source>", description: "let it open this source alone, not everything" },
  },
  async run(context) {
    const { addNamedToken } = await import("../../doors/mcp/named-tokens.ts");
    const [name = ""] = context.args;
    const { view } = context.options;
    if (view !== undefined) await requireView(context, view);
    const token = (await addNamedToken(await tokenPlaceOf(context), name, view)).reveal();
    context.answer({ name, view: view ?? null, token }, token);
  },
});

const list = defineCommand({
  name: "list",
  summary: "list the tokens, without showing them",
  async run(context) {
    const { listNamedTokens } = await import("../../doors/mcp/named-tokens.ts");
    const { renderTable } = await import("../output/table.ts");
    const named = Object.entries(await listNamedTokens(await tokenPlaceOf(context)));
    const tokens = [
      { name: "main", view: null, created: null },
      ...named.map(([name, { view, created }]) => ({ name, view: view ?? null, created })),
    ];
    const text = renderTable(
      tokens,
      [
        { title: "NAME", text: ({ name }) => name },
        { title: "OPENS", text: ({ view }) => view ?? "everything" },
        { title: "SINCE", text: ({ created }) => created?.slice(0, 16).replace("T", " ") ?? "first start" },
      ],
      { width: context.stdout.columns, paintTitle: context.style.bold },
    );
    context.answer({ tokens }, text);
  },
});

const remove = defineCommand({
  name: "remove",
  summary: "take a client's token away; it opens nothing any more",
  args: [{ name: "name", description: "which one" }],
  async run(context) {
    const { removeNamedToken } = await import("../../doors/mcp/named-tokens.ts");
    const [name = ""] = context.args;
    await removeNamedToken(await tokenPlaceOf(context), name);
    context.answer({ removed: name }, `the token ${name} opens nothing any more`);
  },
});

export const command: CommandGroup = {
  name: "token",
  summary: "the tokens that open the hub",
  commands: [path, show, reset, add, list, remove],
  examples: ["clawport token show", "clawport token add phone --view notes", "clawport token remove phone"],
};

/** A token for a view that is not there would open nothing, and nobody would know why. */
async function requireView(context: CommandContext, view: string): Promise<void> {
  const { loadConfigOf } = await import("../config-of.ts");
  const { nearestName } = await import("../../core/nearest-name.ts");
  const { config } = await loadConfigOf(context);
  const views = ["agent", ...Object.keys(config.servers)];
  if (views.includes(view)) return;
  const nearest = nearestName(view, views);
  const hint = nearest === undefined ? "" : ` Did you mean ${quoted(nearest)}?`;
  const message = `There is no view ${quoted(view, 100)}.${hint} There are: ${views.join(", ")}.`;
  throw new Fault("usage", message);
}

async function tokenPlaceOf(context: CommandContext): Promise<TokenLocation> {
  const { openHomeOf } = await import("../open-home.ts");
  return { home: await openHomeOf(context), env: context.env, log: context.log };
}
