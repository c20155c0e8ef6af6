import { join } from "node:path";
import type { CallContext } from "../../../catalog/call-context.ts";
import { isFault, messageOf } from "../../../core/fault.ts";
import { withFileLock } from "../../../core/files/file-lock.ts";
import type { SpilledText } from "../../../core/json-bytes.ts";
import type { Log } from "../../../core/log.ts";
import { cancelledBy } from "../../../core/wait.ts";
import { errorResult, textBlock, type ToolResult } from "../../../mcp/messages/tool.ts";
import { createSessionKey, hashSessionKey } from "../conversations/session-key.ts";
import type { SaveMedia } from "../media/save-media.ts";
import type { AgentReply, GetReply, ReplyOptions } from "../reply-backend.ts";
import { transcribeAudio, type Transcriber } from "../transcribe/transcriber.ts";
import { buildAnswer } from "./build-answer.ts";
import { createIdleTimeout, type IdleTimeout } from "./idle-timeout.ts";
import { type AgentOutput, mergeOutputs } from "./merge-outputs.ts";
import { type Order, parseOrder } from "./parse-order.ts";

/** A call through a door that may put long texts into files. */
export interface OrderContext extends CallContext {
  spilled?(text: string): SpilledText | undefined;
  /** For callers that show the answer while it is being made. */
  onOutput?(output: AgentOutput): void;
  /** Whether whoever gave the order can be asked something, where the door knows that. */
  readonly canAsk?: boolean;
}

export interface RunOrderOptions {
  readonly getReply: GetReply;
  readonly turns: SessionLocks;
  /** How long the agent may be silent. */
  readonly idleMs: number;
  readonly transcriber?: Transcriber | undefined;
  readonly keep?: SaveMedia | undefined;
}

/** From the arguments of a call to its answer. What goes wrong is an answer too; only a cancelled call has none. */
export async function runOrder(args: unknown, context: OrderContext, options: RunOrderOptions): Promise<ToolResult> {
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
    using idle = createIdleTimeout(context.signal, options.idleMs);
    const outputs: AgentOutput[] = [];
    const reply = await runInTurn(order, key, collect(outputs, context, log, idle), options, idle);
    for (const payload of reply.payloads) outputs.push({ kind: "final", ...payload });
    const content = await buildAnswer(mergeOutputs(outputs), { signal: idle.signal, keep: options.keep });
    log.debug("an order was answered", { ms: Date.now() - started, blocks: content.length });
    return {
      content: content.length > 0 ? content : [textBlock("OpenClaw finished without an answer.")],
      isError: false,
      _meta: resultMeta(sessionKey, Date.now() - started, reply),
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
    return sessionKey === undefined ? failure : { ...failure, _meta: resultMeta(sessionKey, ms) };
  }
}

/** Most turns come at once: nobody has to be told of those. */
const announceWaitAfterMs = 1000;

async function runInTurn(
  order: Order,
  sessionKey: string,
  options: ReplyOptions,
  { getReply, turns, transcriber }: RunOrderOptions,
  idle: IdleTimeout,
): Promise<AgentReply> {
  // Nothing is wrong with it: from here on whatever takes long is the agent's doing.
  options.onActivity("order accepted");
  const run = async (): Promise<AgentReply> => {
    idle.heard();
    const given = order.attachments;
    const attachments = transcriber ? await transcribeAudio(given, transcriber, options) : given;
    return getReply({ message: order.message, sessionKey, attachments }, options);
  };
  // Nobody else can have a key that was made for this order: there is nothing to wait for.
  if (order.sessionKey === undefined) return run();
  const { promise: isItsTurn, resolve: begin } = Promise.withResolvers<void>();
  const telling = setTimeout(() => options.onActivity("waiting for the order before it"), announceWaitAfterMs);
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
function collect(outputs: AgentOutput[], context: OrderContext, log: Log, idle: IdleTimeout): ReplyOptions {
  let steps = 0;
  let said = "";
  const put = (output: AgentOutput): void => {
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

function resultMeta(sessionKey: string, ms: number, reply?: AgentReply): Record<string, unknown> {
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

export interface SessionLockOptions {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly waitMs: number;
}

/** Lets the orders of one conversation run one after the other, and those of different ones side by side. */
export interface SessionLocks {
  take<T>(sessionKey: string, options: SessionLockOptions, work: () => Promise<T>): Promise<T>;
}

/** Across processes too: several clients, each with a server of its own, may share a key. */
export function createSessionLocks(folder: string): SessionLocks {
  return {
    take: (sessionKey, options, work) =>
      withFileLock(join(folder, hashSessionKey(sessionKey)), { ...options, removeAfter: true }, work),
  };
}
