import { visibleText } from "../../../core/text/peer-text.ts";
import { megabyte } from "../../../core/text/size-text.ts";
import { cancelledBy } from "../../../core/wait.ts";
import { readChatHistory } from "../../../openclaw/chat-history.ts";
import type { GatewayConnection, GatewayLimits } from "../../../openclaw/open-gateway.ts";
import { readRunEvent } from "../../../openclaw/run-event.ts";
import { gatewaySessionKey, orderKeyOf } from "../conversations/session-key.ts";
import type { Attachment } from "../media/check-media.ts";
import type { AgentReply, ReplyBackend, ReplyOptions, ReplyRequest, TokenUsage } from "../reply-backend.ts";
import { answerApprovals, type ApprovalConnection } from "./answer-approvals.ts";
import { answerQuestions } from "./answer-questions.ts";
import { createByteSemaphore } from "./byte-semaphore.ts";
import { followRun, watchReconnects } from "./follow-run.ts";
import { watchOrderLoop } from "./order-loop.ts";
import { attachmentsTooLarge, canStage, packAttachments, stageAttachments } from "./pack-attachments.ts";
import { listReplyMedia } from "./reply-media.ts";

export interface GatewayBackendOptions {
  readonly gateway: GatewayConnection;
  /** Which of OpenClaw's agents; `main` by default. */
  readonly agentId?: string | undefined;
  /** For asking the caller of an order for approvals; without it OpenClaw asks elsewhere. */
  readonly approvals?: ApprovalConnection | undefined;
  /** Where processes of the same state folder see each other's orders. */
  readonly runningFolder?: string | undefined;
}

/** How long OpenClaw may take to confirm that a run was cancelled. */
const abortGraceMs = 5000;

/** Of attachments sent at the same time. They share one connection, so more would not be faster. */
const maxBytesInFlight = 24 * megabyte;

/** Sends orders to a running OpenClaw, as if its user had typed them. */
export function createGatewayBackend(options: GatewayBackendOptions): ReplyBackend {
  const { gateway, agentId = "main", approvals, runningFolder } = options;
  const uploads = createByteSemaphore(maxBytesInFlight);
  const loop = watchOrderLoop(gateway, runningFolder);
  return {
    name: "gateway",
    getReply,
    async [Symbol.asyncDispose]() {
      loop[Symbol.dispose]();
      await Promise.all([gateway.close(), approvals?.close()]);
    },
  };

  async function getReply(request: ReplyRequest, options: ReplyOptions): Promise<AgentReply> {
    const { signal } = options;
    if (signal.aborted) throw cancelledBy(signal);
    const limits = await gateway.connected(signal);
    await loop.check(request.message, options.caller);
    const sessionKey = gatewaySessionKey(request.sessionKey, agentId);
    using run = loop.begin();
    const { runId } = run;
    const follower = followRun(options);
    const onWaiting = (): void => options.onActivity("waiting for OpenClaw");
    const stop = (): void => follower.fail(cancelledBy(signal));
    signal.addEventListener("abort", stop, { once: true });
    const releaseApprovals = await holdApprovals({ runId, sessionKey }, options);
    const cleanups = [
      releaseApprovals,
      () => signal.removeEventListener("abort", stop),
      gateway.onEvent((event) => {
        const runEvent = readRunEvent(event, runId);
        if (runEvent) follower.handle(runEvent);
      }),
      watchReconnects(gateway, { runId, sessionKey: orderKeyOf(request.sessionKey), follower, signal, onWaiting }),
      answerQuestions(gateway, { runId, sessionKey }, options),
    ];
    try {
      await send(request, { sessionKey, runId, limits, signal });
      const { text, tools, media } = await follower.outcome;
      const [found, tokens] = await Promise.all([
        listReplyMedia(gateway, { sessionKey, runId, announced: media }, options),
        readRunTokens(gateway, { sessionKey, runId }, options),
      ]);
      const notes = found.missing.map((path) => ({ text: missingText(path) }));
      return { payloads: [{ text, media: found.media }, ...notes], runId, tools, tokens };
    } catch (error) {
      if (signal.aborted) await abortRun(sessionKey, runId, options);
      throw signal.aborted ? cancelledBy(signal) : error;
    } finally {
      for (const cleanUp of cleanups) cleanUp();
    }
  }

  async function send({ message, attachments }: ReplyRequest, run: SentRun): Promise<void> {
    const { sessionKey, runId, limits, signal } = run;
    const { inFrame, staged } = packAttachments(attachments, Buffer.byteLength(message), limits);
    const { stateFolder } = gateway.address;
    if (staged.length > 0 && !(await canStage(stateFolder))) throw attachmentsTooLarge(staged, limits);
    const bytes = attachments.reduce((sum, attachment) => sum + attachment.bytes, 0);
    await uploads.run(bytes, signal, async () => {
      const lines = stateFolder === undefined ? [] : await stageAttachments(staged, stateFolder);
      const params = {
        sessionKey,
        message: [message, ...lines].join("\n"),
        idempotencyKey: runId,
        deliver: false,
        attachments: await Promise.all(inFrame.map(attachmentParams)),
      };
      await gateway.request("chat.send", params, { signal, timeoutMs: 120_000 });
    });
  }

  /** An order does not fail without this connection: OpenClaw then asks elsewhere, or denies what no one can approve. */
  async function holdApprovals(run: { runId: string; sessionKey: string }, options: ReplyOptions): Promise<() => void> {
    if (approvals === undefined || options.canAsk === false) return () => {};
    try {
      const held = await approvals.hold(options.signal);
      const unsubscribe = answerApprovals(held.gateway, run, options);
      return () => {
        unsubscribe();
        held.release();
      };
    } catch (error) {
      options.log.warn("could not connect for approvals; OpenClaw has to ask elsewhere", { error });
      return () => {};
    }
  }

  async function abortRun(sessionKey: string, runId: string, { log }: ReplyOptions): Promise<void> {
    try {
      const signal = AbortSignal.timeout(abortGraceMs);
      await gateway.request("chat.abort", { sessionKey, runId }, { signal, timeoutMs: abortGraceMs });
    } catch (error) {
      log.warn("a cancelled order may still be running in OpenClaw", { runId, error });
    }
  }
}

function missingText(path: string): string {
  const shown = visibleText(path, 500);
  return `[The agent attached ${shown}, but OpenClaw did not deliver it: it may be too large or outside the agent's folders.]`;
}

async function attachmentParams({ kind, mimeType, name, base64 }: Attachment) {
  return { type: kind, mimeType, fileName: name, content: await base64() };
}

interface SentRun {
  readonly sessionKey: string;
  readonly runId: string;
  readonly limits: GatewayLimits;
  readonly signal: AbortSignal;
}

/** More messages than a run usually has. Older ones are not counted. */
const historyLimit = 50;

/** The tokens that a run has used; undefined if it called no model. */
async function readRunTokens(
  gateway: GatewayConnection,
  { sessionKey, runId }: { readonly sessionKey: string; readonly runId: string },
  { signal, log }: Pick<ReplyOptions, "signal" | "log">,
): Promise<TokenUsage | undefined> {
  const query = { sessionKey, limit: historyLimit, maxChars: 2000 };
  const messages = await readChatHistory(gateway, query, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    log.debug("could not read how many tokens an order has used", { error });
    return [];
  });
  const answers = messages.filter(({ role, __openclaw }) => role === "assistant" && __openclaw?.runId === runId);
  const sum = (kind: "input" | "output"): number =>
    answers.reduce((total, { usage }) => total + (usage?.[kind] ?? 0), 0);
  return answers.length === 0 ? undefined : { input: sum("input"), output: sum("output") };
}
