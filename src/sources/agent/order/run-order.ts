import { join } from "node:path";
import type { CallContext } from "../../../catalog/call-context.ts";
import { isFault, messageOf } from "../../../core/fault.ts";
import { withFileLock } from "../../../core/files/file-lock.ts";
import type { SpilledText } from "../../../core/json-bytes.ts";
import type { Log } from "../../../core/log.ts";
import { cancelledBy } from "../../../core/wait.ts";
import { errorResult, textBlock, type ToolResult } from "../../../mcp/messages/tool.ts";
import { createSessionKey, hashSessionKey, scopeSessionKey } from "../conversations/session-key.ts";
import type { AgentReply, GetReply, ReplyOptions } from "../reply-backend.ts";
import { transcribeAudio, type Transcriber } from "../transcribe/transcriber.ts";
import { answerLimits } from "../media/media-limits.ts";
import { buildAnswer, type SaveMedia } from "./build-answer.ts";
import { createIdleTimeout, type IdleTimeout } from "./idle-timeout.ts";
import { type AgentOutput, mergeOutputs } from "./merge-outputs.ts";
import { type Order, parseOrder } from "./parse-order.ts";
import { relayOutput } from "./relayed-output.ts";

/** The context of an order's call. */
export interface OrderContext extends CallContext {
  /** The file that holds an argument, if the door wrote long texts to files. */
  spilled?(text: string): SpilledText | undefined;
  /** For callers that show the answer while it is being written. */
  onOutput?(output: AgentOutput): void;
  /** Whether the caller can be asked questions; undefined if the door does not know. */
  readonly canAsk?: boolean;
}

export interface RunOrderOptions {
  readonly getReply: GetReply;
  readonly locks: SessionLocks;
  /** How long the agent may be silent. */
  readonly idleMs: number;
  readonly transcriber?: Transcriber | undefined;
  readonly maxAnswerBytes?: number | undefined;
  readonly save?: SaveMedia | undefined;
}

/** Turns the arguments of a call into its answer. A failure is an answer too; only a cancelled call throws. */
export async function runOrder(args: unknown, context: OrderContext, options: RunOrderOptions): Promise<ToolResult> {
  const started = Date.now();
  let sessionKey: string | undefined;
  let { log } = context;
  try {
    const order = await parseOrder(args, (text) => context.spilled?.(text));
    sessionKey = order.sessionKey ?? createSessionKey();
    const key = scopeSessionKey(sessionKey, context.caller);
    log = log.with({
      get session() {
        return hashSessionKey(key);
      },
    });
    log.debug("an order came in", { attachments: order.attachments.length });
    using idle = createIdleTimeout(context.signal, options.idleMs);
    const outputs: AgentOutput[] = [];
    const reply = await runLocked(order, key, collectOutputs(outputs, context, log, idle), options, idle);
    for (const payload of reply.payloads) outputs.push({ kind: "final", ...payload });
    const { save, maxAnswerBytes: totalBytes = answerLimits.totalBytes } = options;
    const limits = { ...answerLimits, totalBytes };
    const content = await buildAnswer(mergeOutputs(outputs), { signal: idle.signal, limits, save });
    log.debug("an order was answered", { ms: Date.now() - started, blocks: content.length });
    return {
      content: content.length > 0 ? content : [textBlock("OpenClaw finished without an answer.")],
      isError: false,
      _meta: resultMeta(sessionKey, Date.now() - started, reply),
    };
  } catch (error) {
    const ms = Date.now() - started;
    if (context.signal.aborted) {
      log.debug("the caller cancelled an order", { ms });
      throw cancelledBy(context.signal);
    }
    // A fault's message may quote the order.
    if (isFault(error)) log.debug("an order failed", { code: error.code, ms });
    else log.error("an order failed", { error, ms });
    const failure = errorResult(`Error: ${messageOf(error)}`);
    // With the key the caller can ask later what became of the order.
    return sessionKey === undefined ? failure : { ...failure, _meta: resultMeta(sessionKey, ms) };
  }
}

/** Most orders get the lock at once; only a longer wait is reported. */
const announceWaitAfterMs = 1000;

async function runLocked(
  order: Order,
  sessionKey: string,
  options: ReplyOptions,
  { getReply, locks, transcriber }: RunOrderOptions,
  idle: IdleTimeout,
): Promise<AgentReply> {
  options.onActivity("order accepted");
  const run = async (): Promise<AgentReply> => {
    idle.restart();
    const { message } = order;
    const attachments = transcriber
      ? await transcribeAudio(order.attachments, transcriber, options)
      : order.attachments;
    return getReply({ message, sessionKey, attachments }, options);
  };
  // No other order can have a key that was generated for this one.
  if (order.sessionKey === undefined) return run();
  const { promise: locked, resolve: endWait } = Promise.withResolvers<void>();
  const announcement = setTimeout(() => options.onActivity("waiting for the previous order"), announceWaitAfterMs);
  // The wait for the previous order does not count as silence of this one.
  void idle.during(() => locked);
  try {
    return await locks.run(sessionKey, { signal: options.signal, log: options.log, waitMs: Infinity }, () => {
      clearTimeout(announcement);
      endWait();
      return run();
    });
  } finally {
    clearTimeout(announcement);
    endWait();
  }
}

/** Callbacks that collect the agent's output and report progress to the caller. */
function collectOutputs(outputs: AgentOutput[], context: OrderContext, log: Log, idle: IdleTimeout): ReplyOptions {
  const onOutput = context.onOutput?.bind(context) ?? relayOutput(context);
  let steps = 0;
  let lastActivity = "";
  const add = (output: AgentOutput): void => {
    idle.restart();
    outputs.push(output);
    onOutput?.(output);
  };
  return {
    caller: context.caller,
    signal: idle.signal,
    log,
    ask: (question) => idle.during(() => context.ask(question)),
    canAsk: context.canAsk,
    onPartial: (text) => add({ kind: "partial", text }),
    onBlock: (payload) => add({ kind: "block", ...payload }),
    onToolResult: (payload) => add({ kind: "tool", ...payload }),
    onActivity(activity) {
      idle.restart();
      if (activity === lastActivity) return;
      lastActivity = activity;
      context.progress({ progress: ++steps, message: activity });
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

/** Runs the orders of one conversation one after the other, those of different conversations in parallel. */
export interface SessionLocks {
  run<T>(sessionKey: string, options: SessionLockOptions, work: () => Promise<T>): Promise<T>;
}

/** Works across processes: clients that each start a server may share a session key. */
export function createSessionLocks(folder: string): SessionLocks {
  return {
    run: (sessionKey, options, work) =>
      withFileLock(join(folder, hashSessionKey(sessionKey)), { ...options, removeAfter: true }, work),
  };
}
