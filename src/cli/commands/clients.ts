import { resolve } from "node:path";
import {
  type ClientMachine,
  type InstallableClient,
  installableClients,
} from "../../sources/servers/import/client-table.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";
import { clientArgument } from "../output/client-edit.ts";
import { shellWord } from "../../core/text/shell-word.ts";

export const command = defineCommand({
  name: "clients",
  summary: "list the MCP clients that can be connected, or show what to paste into one",
  args: [{ ...clientArgument, optional: true }],
  examples: ["clawport clients", "clawport clients codex"],
  async run(context) {
    const [name] = context.args;
    return name === undefined ? listClients(context) : showClient(context, name);
  },
});

async function listClients(context: CommandContext): Promise<void> {
  const { renderTable } = await import("../output/table.ts");
  const { url, tokenPath } = await findHubOf(context);
  const clients = await Promise.all(
    installableClients.map(async (client) => {
      const file = client.file(context);
      return { name: client.id, title: client.title, file, state: await stateOf(client, context) };
    }),
  );
  const table = renderTable(
    clients,
    [
      { title: "CLIENT", text: ({ name }) => name },
      { title: "CLAWPORT", text: ({ state }) => state },
      { title: "FILE", text: ({ file }) => file },
    ],
    context,
  );
  const { findHttpProblems } = await import("../../hub/clients/http-entries.ts");
  const problems = (await findHttpProblems(context)).map(({ problem }) => problem);
  const header = `Authorization: Bearer $(cat ${shellWord(tokenPath)})`;
  const text = [
    table,
    ...problems.map((problem) => context.style.yellow(`Warning: ${problem}`)),
    "",
    "`clawport install <client>` connects one, and `clawport clients <client>` shows what it adds.",
    `Any other client: ${url} with the header "${header}",`,
    "or the command `clawport serve --stdio`.",
  ].join("\n");
  context.answer({ clients, url, tokenPath, ...(problems.length > 0 && { problems }) }, text);
}

async function stateOf(client: InstallableClient, machine: ClientMachine): Promise<string> {
  const { readClientState } = await import("../../hub/clients/client-state.ts");
  const found = await readClientState(client, machine);
  return found.state === "unknown" ? `unknown: ${found.problem.slice(0, 80)}` : stateTexts[found.state];
}

const stateTexts = { installed: "installed", "not-installed": "not installed", absent: "no such client here" };

async function showClient(context: CommandContext, name: string): Promise<void> {
  const { commandFor, requireClient } = await import("../../hub/clients/install-client.ts");
  const { renderBlock } = await import("../../hub/clients/edit-block.ts");
  const { homePath } = await import("../../hub/state/open-home.ts");
  const client = requireClient(name);
  const { program, cwd, globals, style } = context;
  const config = globals.config && resolve(cwd, globals.config);
  const file = client.file(context);
  const { url, tokenPath } = await findHubOf(context);
  const command = commandFor(client, { program, home: resolve(homePath(context)), config });
  const stdio = renderBlock(client, client.entry(command));
  const { mcpUrlWithoutAgent } = await import("../../core/http/hub-routes.ts");
  const entry = client.httpEntry?.(client.without === "orders" ? mcpUrlWithoutAgent(url) : url);
  const http = entry && renderBlock(client, entry, client.httpExtra);
  const text = [
    style.bold(`${client.title}: ${file}`),
    "",
    `What \`clawport install ${client.id}\` adds, with a token of its own that is not in the file:`,
    stdio,
    ...(http === undefined
      ? []
      : ["", "Or over HTTP, without a process of ours in between:", http, ...tokenHint(http, tokenPath)]),
  ].join("\n");
  context.answer({ client: client.id, file, stdio, ...(http !== undefined && { http }), url, tokenPath }, text);
}

/** What the reference in the entry for HTTP needs. */
function tokenHint(block: string, tokenPath: string): string[] {
  if (block.includes("CLAWPORT_TOKEN"))
    return [
      "",
      "It reads the token from a variable. Add this to your shell's start-up file:",
      `export CLAWPORT_TOKEN="$(cat ${shellWord(tokenPath)})"`,
    ];
  return ["", `It asks for the token once. Print it with \`cat ${shellWord(tokenPath)}\`.`];
}

/** The address of the running hub, else the one that it would have. */
async function findHubOf(context: CommandContext): Promise<{ readonly url: string; readonly tokenPath: string }> {
  const { hubMcpUrl } = await import("../../core/http/hub-routes.ts");
  const { homePath } = await import("../../hub/state/open-home.ts");
  const { mainTokenPath } = await import("../../doors/mcp/main-token.ts");
  const { findRunningHub } = await import("../../hub/state/hub-record.ts");
  const { readConfigOf } = await import("../../hub/state/active-config.ts");
  // Only looks: the state folder need not exist.
  const path = resolve(homePath(context));
  const home = { path, file: (...parts: string[]) => resolve(path, ...parts) };
  const running = await findRunningHub(home);
  const { hub } = running === undefined ? (await readConfigOf(context)).config : { hub: undefined };
  const address = running?.address ?? `http://127.0.0.1:${hub?.port || 8765}`;
  return { url: hubMcpUrl(address), tokenPath: mainTokenPath({ home, env: context.env }) };
}
