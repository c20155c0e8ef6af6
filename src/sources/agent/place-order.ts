import { cancelledBy } from "../../core/cancelled.ts";
import { isFault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import { messageOf } from "../../core/thrown.ts";
import { textBlock } from "../../mcp/content.ts";
import { errorResult, type ToolResult } from "../../mcp/tool.ts";
import { aggregate, type Output } from "./aggregate.ts";
import { buildAnswer } from "./build-answer.ts";
import { createIdleSignal, type IdleSignal } from "./idle-signal.ts";
import type { KeepMedia } from "./keep-media.ts";
import type { OrderContext } from "./order-context.ts";
import { parseOrder, type Order } from "./parse-order.ts";
import type { GetReply, Reply, ReplyOptions } from "./reply.ts";
import { createSessionKey, hashSessionKey } from "./session-key.ts";
import type { SessionTurns } from "./session-turns.ts";
import { transcribeAudio } from "./transcribe/transcribe-audio.ts";
import type { Transcriber } from "./transcribe/transcriber.ts";

export interface PlaceOrderOptions {
  readonly getReply: GetReply;
  readonly turns: SessionTurns;
  /** How long the agent may be silent. */
  readonly idleMs: number;
  readonly transcriber?: Transcriber | undefined;
  readonly keep?: KeepMedia | undefined;
}

/** From the arguments of a call to its answer. What goes wrong is an answer too; only a cancelled call has none. */
export async function placeOrder(
  args: unknown,
  context: OrderContext,
  options: PlaceOrderOptions,
): Promise<ToolResult> {
  const started = Date.now();
  let sessionKey: string | undefined;
  let { log } = context;
  try {
    const order = await parseOrder(args, (text) => context.spilled?.(text));
    const key = order.sessionKey ?? createSessionKey();
    sessionKey = key;
    log = log.with({
      get session() {
        return hashSessionKey(key);
      },
    });
    log.debug("an order came in", { attachments: order.attachments.length });
    using idle = createIdleSignal(context.signal, options.idleMs);
    const outputs: Output[] = [];
    const reply = await takeTurn(order, key, collect(outputs, context, log, idle), options, idle);
    for (const payload of reply.payloads) outputs.push({ kind: "final", ...payload });
    const content = await buildAnswer(aggregate(outputs), { signal: idle.signal, keep: options.keep });
    log.debug("an order was answered", { ms: Date.now() - started, blocks: content.length });
    return {
      content: content.length > 0 ? content : [textBlock("OpenClaw finished without an answer.")],
      isError: false,
      _meta: metaOf(sessionKey, Date.now() - started, reply),
    };
  } catch (error) {
    const ms = Date.now() - started;
    if (context.signal.aborted) {
      log.debug("an order was given up by who gave it", { ms });
      throw cancelledBy(context.signal);
    }
    // The words of a fault may hold those of the order.
    if (isFault(error)) log.debug("an order failed", { code: error.code, ms });
    else log.error("an order failed", { error, ms });
    const failure = errorResult(`Error: ${messageOf(error)}`);
    // What was begun under a key of its own can be asked after under that key.
    return sessionKey === undefined ? failure : { ...failure, _meta: metaOf(sessionKey, ms) };
  }
}

/** Most turns come at once: nobody has to be told of those. */
const tellWaitMs = 1000;

async function takeTurn(
  order: Order,
  sessionKey: string,
  options: ReplyOptions,
  { getReply, turns, transcriber }: PlaceOrderOptions,
  idle: IdleSignal,
): Promise<Reply> {
  // Nothing is wrong with it: from here on whatever takes long is the agent's doing.
  options.onActivity("order accepted");
  const run = async (): Promise<Reply> => {
    idle.heard();
    const given = order.attachments;
    const attachments = transcriber ? await transcribeAudio(given, transcriber, options) : given;
    return getReply({ message: order.message, sessionKey, attachments }, options);
  };
  // Nobody else can have a key that was made for this order: there is nothing to wait for.
  if (order.sessionKey === undefined) return run();
  const { promise: isItsTurn, resolve: begin } = Promise.withResolvers<void>();
  const telling = setTimeout(() => options.onActivity("waiting for the order before it"), tellWaitMs);
  // However long the one before takes, it is not silence of this one.
  void idle.during(() => isItsTurn);
  try {
    return await turns.take(sessionKey, { signal: options.signal, log: options.log, waitMs: Infinity }, () => {
      clearTimeout(telling);
      begin();
      return run();
    });
  } finally {
    clearTimeout(telling);
    begin();
  }
}

/** Everything the agent says on its way goes into `outputs`, and to whoever gave the order. */
function collect(outputs: Output[], context: OrderContext, log: Log, idle: IdleSignal): ReplyOptions {
  let steps = 0;
  let said = "";
  const put = (output: Output): void => {
    idle.heard();
    outputs.push(output);
    context.onOutput?.(output);
  };
  return {
    signal: idle.signal,
    log,
    ask: (question) => idle.during(() => context.ask(question)),
    canAsk: context.canAsk,
    onPartial: (text) => put({ kind: "partial", text }),
    onBlock: (payload) => put({ kind: "block", ...payload }),
    onToolResult: (payload) => put({ kind: "tool", ...payload }),
    onActivity(words) {
      idle.heard();
      if (words === said) return;
      said = words;
      context.progress({ progress: ++steps, message: words });
    },
  };
}

function metaOf(sessionKey: string, ms: number, reply?: Reply): Record<string, unknown> {
  const { runId, tools, tokens, cost } = reply ?? {};
  return {
    "clawport/sessionKey": sessionKey,
    "clawport/durationMs": Math.round(ms),
    ...(runId === undefined ? {} : { "clawport/runId": runId }),
    ...(tools === undefined ? {} : { "clawport/tools": tools }),
    ...(tokens === undefined ? {} : { "clawport/tokens": tokens }),
    ...(cost === undefined ? {} : { "clawport/cost": cost }),
  };
}
