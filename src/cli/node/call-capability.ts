import { Fault, isFault } from "../../core/fault.ts";
import type { Tool } from "../../mcp/messages/tool.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";
import { pasteable } from "../output/pasteable.ts";
import { nearestName } from "../../core/text/nearest-name.ts";

const defaultTimeoutMs = 180_000;

export const callCapability = defineCommand({
  name: "call",
  summary: "call a tool of a running node; exits with 0, with 1 if it fails, and with 2 if the arguments are wrong",
  args: [
    { name: "command", description: "the tool, such as device.info", optional: true },
    { name: "argument", description: "key=value, a JSON object, or @file with one", optional: true, rest: true },
  ],
  options: {
    list: { type: "boolean", description: "list the tools instead" },
    url: { type: "string", value: "<address>", description: "the node to call (default: the one that runs here)" },
    token: {
      type: "string",
      value: "<token>",
      description: "its token (default: OPENCLAW_MCP_TOKEN, or the token file for a node on this computer)",
    },
    timeout: {
      type: "number",
      value: "<ms>",
      range: [1, 3_600_000],
      description: `how long to wait for the answer (default: ${defaultTimeoutMs})`,
    },
    save: {
      type: "string",
      value: "<folder>",
      completes: "folder",
      description: "save images here (default: in the state folder)",
    },
  },
  examples: [
    "clawport node call --list",
    "clawport node call device.status",
    "clawport node call system.which bins=git bins=node",
    "clawport node call system.run @command.json",
  ],
  async run(context) {
    try {
      return await runCall(context);
    } catch (error) {
      const { printFailure } = await import("../output/print-failure.ts");
      printFailure(error, context, { json: context.json, verbose: context.globals.verbose === true });
      return ["usage", "bad-params", "unknown-tool"].some((code) => isFault(error) && error.code === code) ? 2 : 1;
    }
  },
});

async function runCall(context: CommandContext): Promise<number> {
  const { createNodeClient, findNode } = await import("../../hub/node/node-client.ts");
  const { openHomeOf } = await import("../../hub/state/open-home.ts");
  const { url, token, timeout, list, save } = context.options as CallOptions;
  const [command, ...words] = context.args;
  if (command === undefined && list !== true)
    throw new Fault("usage", "Name a tool, or list the tools with `clawport node call --list`.");
  const home = await openHomeOf(context);
  const target = await findNode(context, home, { url, token });
  const client = createNodeClient(target, timeout ?? defaultTimeoutMs, context.stopSignal());
  try {
    const tools = await client.tools();
    if (list === true || command === undefined) return listTools(context, tools);
    const tool = tools.find(({ name }) => name === command);
    if (tool === undefined) throw await unknownCommand(command, tools);
    const args = await readArguments(context, tool, words);
    const result = await sayingThatItWaits(context, command, client.call(command, args));
    const { resolve } = await import("node:path");
    const { renderResult } = await import("../output/render-result.ts");
    const folder = save === undefined ? home.file("results") : resolve(context.cwd, save);
    const { stdout, env } = context;
    const { data, text } = await renderResult(result, { tool: command, folder, stdout, env, at: new Date() });
    context.answerAsIs(data, text);
    return result.isError === true ? 1 : 0;
  } finally {
    client.close();
  }
}

const lookEveryMs = 1000;

/** Says once where to answer if the call waits for consent: the question may be on a desktop that is not in view. */
async function sayingThatItWaits<T>(context: CommandContext, tool: string, answer: Promise<T>): Promise<T> {
  let isOver = false;
  async function probe(): Promise<void> {
    const { askRunningHub } = await import("../../hub/control/ask-running-hub.ts");
    const list = await askRunningHub(context, (control) => control.approvals.list());
    const call = list?.waiting.find((each) => each.tool === tool || each.name === tool);
    if (isOver) return;
    if (call === undefined) return schedule();
    const how = `Answer on the desktop or the terminal of the node, or run \`clawport approve ${call.id}\`.`;
    context.stderr.write(`${pasteable(`Waiting for your consent to ${tool}. ${how}`, context)}\n`);
  }
  let timer: NodeJS.Timeout | undefined;
  const schedule = (): void => void (timer = setTimeout(() => void probe().catch(() => {}), lookEveryMs));
  if (context.globals.quiet !== true) schedule();
  try {
    return await answer;
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

interface CallOptions {
  readonly url?: string;
  readonly token?: string;
  readonly timeout?: number;
  readonly list?: boolean;
  readonly save?: string;
}

async function listTools(context: CommandContext, tools: readonly Tool[]): Promise<number> {
  const { renderTable } = await import("../output/table.ts");
  const columns = [
    { title: "TOOL", text: ({ name }: Tool) => name },
    { title: "DESCRIPTION", text: ({ description = "" }: Tool) => description },
  ];
  context.answer({ tools }, renderTable(tools, columns, context));
  return 0;
}

async function unknownCommand(command: string, tools: readonly Tool[]): Promise<Fault> {
  const { quoted } = await import("../../core/text/peer-text.ts");
  const nearest = nearestName(
    command,
    tools.map(({ name }) => name),
  );
  const hint = nearest === undefined ? "Run `clawport node call --list` to see them." : `Did you mean ${nearest}?`;
  return new Fault("unknown-tool", `The node has no tool ${quoted(command, 100)}. ${hint}`);
}

const maxFileBytes = 4 * 1024 * 1024;

async function readArguments(
  context: CommandContext,
  tool: Tool,
  words: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const { resolve } = await import("node:path");
  const { text: readAll } = await import("node:stream/consumers");
  const { typedArguments } = await import("../../hub/presentation/typed-arguments.ts");
  const { readRegularFile } = await import("../../core/files/read-regular-file.ts");
  const { createSchemaChecker } = await import("../../mcp/schema/schema-checker.ts");
  const read = async (word: string): Promise<string> => {
    if (!word.startsWith("@")) return word;
    const path = resolve(context.cwd, word.slice(1));
    const text = await readRegularFile(path, maxFileBytes).catch((cause: unknown) => {
      throw new Fault("usage", `Could not read ${path}.`, { cause });
    });
    if (!text.trimStart().startsWith("{")) throw new Fault("usage", `${path} does not hold a JSON object.`);
    return text;
  };
  const args = await typedArguments(await Promise.all(words.map(read)), tool.inputSchema, () => readAll(context.stdin));
  const verdict = await createSchemaChecker().check(tool.inputSchema, args);
  if (!verdict.ok) throw new Fault("bad-params", `Wrong arguments for ${tool.name}: ${verdict.message}`);
  return args;
}
