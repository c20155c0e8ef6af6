import type { Readable, Writable } from "node:stream";
import { RequestCallContext } from "../../catalog/call-context.ts";
import type { Caller } from "../../catalog/caller.ts";
import { Fault } from "../../core/fault.ts";
import { readVersion } from "../../core/version.ts";
import { serveStdioDoor } from "../../doors/mcp/stdio-door.ts";
import { uploadLimits } from "../../hub/engine/upload-limits.ts";
import { homePath } from "../../hub/state/open-home.ts";
import type { OrderEngine } from "../../hub/order-engine.ts";
import { errorResult, type ToolResult } from "../../mcp/messages/tool.ts";
import type { McpOffer, RequestContext } from "../../mcp/server/offer.ts";
import { detachAfter } from "../../mcp/server/tasks.ts";
import { orderTool } from "../../sources/agent/order/order-tool.ts";
import { agentOptions, checkAgentFlags } from "../agent-options.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";

/** Loading the agent takes a while, so the list of tools is sent first. */
const afterAnswerMs = 5;

/** The arguments are checked with the order, so that all mistakes are reported in the same way. */
const uncheckedTool = { ...orderTool, inputSchema: { type: "object" } };

export const command = defineCommand({
  name: "mcp-server",
  summary: "serve order_openclaw to an MCP client over stdin and stdout",
  options: agentOptions,
  examples: ["clawport mcp-server", "clawport mcp-server --verbose", "claude mcp add openclaw -- clawport mcp-server"],
  async run(context) {
    const { log } = context;
    checkAgentFlags(context.options);
    const input = context.stdin as Readable;
    let engine: Promise<OrderEngine> | undefined;
    // Listing the tool does not need the engine, so a client does not wait for it before it sends an order.
    const openEngine = (): Promise<OrderEngine> => {
      if (engine === undefined) {
        // Before this there is nothing to close, so a signal may simply end the process.
        context.stopSignal().addEventListener("abort", () => input.destroy(), { once: true });
        engine = import("../../hub/order-engine.ts").then(({ openOrderEngine }) =>
          openOrderEngine(context, context.options, "stdio"),
        );
      }
      engine.catch((error: unknown) => {
        log.error("could not open the agent; the next order tries again", { error });
        engine = undefined;
      });
      return engine;
    };

    const offer: McpOffer = {
      info: { name: "clawport", title: "OpenClaw", version: readVersion() },
      tools: {
        list() {
          if (engine === undefined) setTimeout(() => void openEngine().catch(() => {}), afterAnswerMs).unref();
          return tools;
        },
        find: (name) => (name === orderTool.name ? uncheckedTool : undefined),
        call: (_, args, request) => placeOrder(openEngine, args, request, context),
      },
    };
    const { maxBodyBytes: maxFrameBytes, spill } = uploadLimits(homePath(context));
    const output = context.stdout as unknown as Writable;
    await serveStdioDoor({ offer, input, output, log, maxFrameBytes, spill });
    await (await engine)?.close();
  },
});

const tools = [orderTool];
const asTask = { status: "OpenClaw is working on it." };

async function placeOrder(
  openEngine: () => Promise<OrderEngine>,
  args: Readonly<Record<string, unknown>>,
  request: RequestContext,
  { log }: CommandContext,
): Promise<ToolResult> {
  const { sessionKey } = args;
  const from: Caller = { door: "mcp-stdio", ...(typeof sessionKey === "string" ? { sessionKey } : {}) };
  const call = new RequestCallContext(request, from, log);
  let engine: OrderEngine;
  try {
    engine = await openEngine();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return errorResult(`Error: ${error.message}`);
  }
  return prefixError(await detachAfter(engine.order(args, call), request, engine.taskAfterMs, asTask));
}

/** Gives the guard's denials the prefix that other failures of an order have. */
function prefixError(result: ToolResult): ToolResult {
  const [first, ...rest] = result.content;
  if (result.isError !== true || first?.type !== "text" || first.text.startsWith("Error: ")) return result;
  return { ...result, content: [{ ...first, text: `Error: ${first.text}` }, ...rest] };
}
