import type { OrderContext } from "../../sources/agent/order-context.ts";
import type { ContentBlock } from "../../mcp/content.ts";
import { agentOptions, checkAgentFlags } from "../agent-options.ts";
import { defineCommand } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { isAttended } from "../is-attended.ts";
import { forTerminal } from "../output/for-terminal.ts";

export const command = defineCommand({
  name: "agent",
  summary: "hand an order to the agent behind order_openclaw, and show its answer",
  args: [{ name: "message", description: "what the agent is to do; slash commands too" }],
  options: {
    ...agentOptions,
    session: { type: "string", short: "s", value: "<key>", description: "go on with this conversation" },
    image: {
      type: "string",
      multiple: true,
      value: "<file>",
      completes: "file",
      description: "an image to send along",
    },
    file: { type: "string", multiple: true, value: "<file>", completes: "file", description: "a file to send along" },
    "save-to": {
      type: "string",
      value: "<folder>",
      completes: "folder",
      description: "where media of the answer go; this folder unless given",
    },
  },
  examples: [
    'clawport agent "what is on my calendar today"',
    'clawport agent "what do you see" --image photo.png',
    "clawport agent /help --session work --json",
  ],
  async run(context) {
    const { readOrderFiles } = await import("../read-order-files.ts");
    const { openAgentEngine } = await import("../agent-engine.ts");
    const { askAtTerminal } = await import("../servers/terminal-questions.ts");
    const { options, args, log } = context;
    checkAgentFlags(options);
    const order = {
      message: args[0] ?? "",
      ...(options.session === undefined ? {} : { sessionKey: options.session }),
      images: await readOrderFiles(options.image ?? [], context.cwd),
      files: await readOrderFiles(options.file ?? [], context.cwd),
    };
    const shown = createShown(context);
    const engine = await openAgentEngine(context, options);
    try {
      const call: OrderContext = {
        caller: { door: "cli" },
        signal: context.stopSignal(),
        log,
        progress: ({ message }) => log.debug(message ?? "working"),
        tell: () => {},
        ask: (question) => askAtTerminal(question, context),
        canAsk: isAttended(context),
        onOutput: ({ kind, text }) => shown.partial(kind === "partial" ? text : undefined),
      };
      const result = await engine.order(order, call);
      if (context.json) {
        context.answer(result, "");
        return result.isError === true ? 1 : 0;
      }
      return await shown.final(result.content, result.isError === true, options["save-to"] ?? context.cwd);
    } finally {
      await engine.close();
    }
  },
});

interface Shown {
  /** All of the message that is being written; nothing where another one begins. */
  partial(text: string | undefined): void;
  final(content: readonly ContentBlock[], isError: boolean, folder: string): Promise<number>;
}

/** On a terminal the answer grows as it is written; elsewhere it comes once, whole. */
function createShown({ stdout, stderr, json }: CommandContext): Shown {
  const isLive = stdout.isTTY === true && !json;
  let written = "";
  let all = "";

  return {
    partial(text) {
      if (!isLive) return;
      if (text === undefined || !text.startsWith(written)) {
        if (written !== "") stdout.write("\n\n");
        written = "";
      }
      const fresh = (text ?? "").slice(written.length);
      stdout.write(forTerminal(fresh, stdout));
      all += fresh;
      written = text ?? "";
    },
    async final(content, isError, folder) {
      const { saveBlock } = await import("../save-block.ts");
      for (const block of content) {
        if (block.type !== "text") print(stdout, await saveBlock(block, folder));
        else if (isError) print(stderr, block.text);
        else if (!isLive || !bare(all).includes(bare(block.text))) print(stdout, block.text);
      }
      if (written !== "") stdout.write("\n");
      return isError ? 1 : 0;
    },
  };
}

function print(stream: CommandContext["stdout"], text: string): void {
  stream.write(`${forTerminal(text, stream)}\n`);
}

function bare(text: string): string {
  return text.replace(/\s+/g, "");
}
