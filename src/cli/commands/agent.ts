import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { codeOf, Fault, messageOf } from "../../core/fault.ts";
import { mimeTypeOf } from "../../core/files/safe-name.ts";
import { sanitizeForTerminal } from "../../core/text/peer-text.ts";
import { isInteractive } from "../../core/process/world.ts";
import type { ContentBlock } from "../../mcp/messages/tool.ts";
import type { OrderContext } from "../../sources/agent/order/run-order.ts";
import { agentOptions, checkAgentFlags } from "../agent-options.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  name: "agent",
  summary: "send an order to the agent behind order_openclaw, and print its answer",
  args: [{ name: "message", description: "what the agent should do, or a slash command" }],
  options: {
    ...agentOptions,
    session: { type: "string", short: "s", value: "<key>", description: "continue this conversation" },
    image: {
      type: "string",
      multiple: true,
      value: "<file>",
      completes: "file",
      description: "an image to send with the order",
    },
    file: {
      type: "string",
      multiple: true,
      value: "<file>",
      completes: "file",
      description: "a file to send with the order",
    },
    "save-to": {
      type: "string",
      value: "<folder>",
      completes: "folder",
      description: "where to save media of the answer (default: the current folder)",
    },
  },
  examples: [
    'clawport agent "what is on my calendar today"',
    'clawport agent "what do you see" --image photo.png',
    "clawport agent /help --session work --json",
  ],
  async run(context) {
    const { openOrderEngine } = await import("../../hub/order-engine.ts");
    const { askAtTerminal } = await import("../terminal/ask-at-terminal.ts");
    const { options, args, log } = context;
    checkAgentFlags(options);
    const order = {
      message: args[0] ?? "",
      ...(options.session === undefined ? {} : { sessionKey: options.session }),
      images: await readOrderFiles(options.image ?? [], context.cwd),
      files: await readOrderFiles(options.file ?? [], context.cwd),
    };
    const shown = createAnswerPrinter(context);
    const engine = await openOrderEngine(context, options, "cli");
    try {
      const call: OrderContext = {
        caller: { door: "cli" },
        signal: context.stopSignal(),
        log,
        progress: ({ message }) => log.debug(message ?? "working"),
        tell: () => {},
        ask: (question) => askAtTerminal(question, context, context.stopSignal()),
        canAsk: isInteractive(context),
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

interface AnswerPrinter {
  /** The whole message so far; undefined if another one begins. */
  partial(text: string | undefined): void;
  final(content: readonly ContentBlock[], isError: boolean, folder: string): Promise<number>;
}

/** On a terminal the answer is printed as it is written, elsewhere once it is complete. */
function createAnswerPrinter({ stdout, stderr, json }: CommandContext): AnswerPrinter {
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
      stdout.write(sanitizeForTerminal(fresh, stdout));
      all += fresh;
      written = text ?? "";
    },
    async final(content, isError, folder) {
      const { saveContentBlock } = await import("../output/save-media.ts");
      for (const block of content) {
        if (block.type !== "text") print(stdout, await saveContentBlock(block, folder));
        else if (isError) print(stderr, block.text);
        else if (!isLive || !withoutWhitespace(all).includes(withoutWhitespace(block.text))) print(stdout, block.text);
      }
      if (written !== "") stdout.write("\n");
      return isError ? 1 : 0;
    },
  };
}

function print(stream: CommandContext["stdout"], text: string): void {
  stream.write(`${sanitizeForTerminal(text, stream)}\n`);
}

function withoutWhitespace(text: string): string {
  return text.replace(/\s+/g, "");
}

export interface OrderFile {
  readonly data: string;
  readonly mimeType: string;
  readonly filename: string;
}

/** Reads the files of an order. Their type comes from the extension. */
export function readOrderFiles(paths: readonly string[], cwd: string): Promise<readonly OrderFile[]> {
  return Promise.all(paths.map((path) => readOrderFile(path, cwd)));
}

async function readOrderFile(path: string, cwd: string): Promise<OrderFile> {
  const filename = basename(path);
  const mimeType = mimeTypeOf(filename);
  if (mimeType === undefined)
    throw new Fault("usage", `The extension of ${filename} is not of a type that can be sent.`);
  try {
    return { data: (await readFile(resolve(cwd, path))).toString("base64"), mimeType, filename };
  } catch (error) {
    const code = codeOf(error);
    const what =
      code === "ENOENT" ? `There is no file ${path}.` : `${path} can't be read (${code ?? messageOf(error)}).`;
    throw new Fault("usage", what, { cause: error });
  }
}
