import { randomUUID } from "node:crypto";
import { visibleText } from "../../../core/visible-text.ts";
import { cancelledBy } from "../../../core/wait.ts";
import type { GatewayConnection, GatewayLimits } from "../../../openclaw/open-gateway.ts";
import { readRunEvent } from "../../../openclaw/run-event.ts";
import { gatewaySessionKey } from "../conversations/session-key.ts";
import type { Attachment } from "../media/check-media.ts";
import { megabyte } from "../media/media-limits.ts";
import type { AgentReply, ReplyBackend, ReplyOptions, ReplyRequest, TokenUsage } from "../reply-backend.ts";
import { answerApprovals, type ApprovalConnection } from "./answer-approvals.ts";
import { answerQuestions } from "./answer-questions.ts";
import { createByteSemaphore } from "./byte-semaphore.ts";
import { followRun, watchReconnects } from "./follow-run.ts";
import { attachmentsTooLarge, canStage, packAttachments, stageAttachments } from "./pack-attachments.ts";
import { listReplyMedia } from "./reply-media.ts";

export interface GatewayBackendOptions {
  readonly gateway: GatewayConnection;
  /** Which agent of OpenClaw; `main` unless given. */
  readonly agentId?: string | undefined;
  /** How approvals come to whoever gave the order; without it OpenClaw does without us. */
  readonly approvals?: ApprovalConnection | undefined;
}

/** How long a run that was cancelled may take to say so. */
const abortGraceMs = 5000;

/** Of attachments that are being sent at the same time. They share one line, so that more would not be faster. */
const maxBytesInFlight = 24 * megabyte;

/** Hands orders to a running OpenClaw, as if its user had typed them. */
export function createGatewayBackend(given: GatewayBackendOptions): ReplyBackend {
  const { gateway, agentId = "main", approvals } = given;
  const gate = createByteSemaphore(maxBytesInFlight);
  return {
    name: "gateway",
    getReply,
    async [Symbol.asyncDispose]() {
      await Promise.all([gateway.close(), approvals?.close()]);
    },
  };

  async function getReply(context: ReplyRequest, options: ReplyOptions): Promise<AgentReply> {
    const { signal } = options;
    if (signal.aborted) throw cancelledBy(signal);
    const limits = await gateway.connected(signal);
    const sessionKey = gatewaySessionKey(context.sessionKey, agentId);
    const runId = randomUUID();
    const follower = followRun(options);
    const onWaiting = (): void => options.onActivity("waiting for OpenClaw");
    const stop = (): void => follower.fail(cancelledBy(signal));
    signal.addEventListener("abort", stop, { once: true });
    const takeApprovals = await holdApprovals({ runId, sessionKey }, options);
    const unsubscribe = [
      takeApprovals,
      () => signal.removeEventListener("abort", stop),
      gateway.onEvent((event) => {
        const happened = readRunEvent(event, runId);
        if (happened) follower.take(happened);
      }),
      watchReconnects(gateway, { runId, sessionKey: context.sessionKey, follower, signal, onWaiting }),
      answerQuestions(gateway, { runId, sessionKey }, options),
    ];
    try {
      await send(context, { sessionKey, runId, limits, signal });
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
      for (const end of unsubscribe) end();
    }
  }

  async function send(context: ReplyRequest, run: SentRun): Promise<void> {
    const { message, attachments } = context;
    const { sessionKey, runId, limits, signal } = run;
    const { inFrame, staged } = packAttachments(attachments, Buffer.byteLength(message), limits);
    const { stateFolder } = gateway.address;
    if (staged.length > 0 && !(await canStage(stateFolder))) throw attachmentsTooLarge(staged, limits);
    const bytes = attachments.reduce((sum, attachment) => sum + attachment.bytes, 0);
    await gate.pass(bytes, signal, async () => {
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

  /** An order does not fail for want of this line: OpenClaw then asks elsewhere, or refuses what nobody can approve. */
  async function holdApprovals(run: { runId: string; sessionKey: string }, options: ReplyOptions): Promise<() => void> {
    if (approvals === undefined || options.canAsk === false) return () => {};
    try {
      const line = await approvals.hold(options.signal);
      const unsubscribe = answerApprovals(line.gateway, run, options);
      return () => {
        unsubscribe();
        line.release();
      };
    } catch (error) {
      options.log.warn("approvals of OpenClaw can't be passed on", { error });
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
  return `[The agent named ${shown}, but OpenClaw did not hand it over: it may be too large, or outside the agent's folders.]`;
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

interface HistoryMessage {
  readonly role?: string;
  readonly usage?: { readonly input?: number; readonly output?: number };
  readonly __openclaw?: { readonly runId?: string };
}

/** More messages than a run of the agent usually has; what is older does not count. */
const latest = 50;

/** What a run has cost in tokens; nothing where no model was asked. */
async function readRunTokens(
  gateway: GatewayConnection,
  run: { readonly sessionKey: string; readonly runId: string },
  { signal, log }: Pick<ReplyOptions, "signal" | "log">,
): Promise<TokenUsage | undefined> {
  const params = { sessionKey: run.sessionKey, limit: latest, maxChars: 2000 };
  const { messages = [] } = await gateway
    .request<{ messages?: readonly HistoryMessage[] }>("chat.history", params, { signal })
    .catch((error: unknown): { messages?: readonly HistoryMessage[] } => {
      signal.throwIfAborted();
      log.debug("what an order has cost is not known", { error });
      return {};
    });
  const answers = messages.filter(({ role, __openclaw }) => role === "assistant" && __openclaw?.runId === run.runId);
  const sum = (kind: "input" | "output"): number =>
    answers.reduce((total, { usage }) => total + (usage?.[kind] ?? 0), 0);
  return answers.length === 0 ? undefined : { input: sum("input"), output: sum("output") };
}
