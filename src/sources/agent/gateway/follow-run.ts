import { Fault, messageOf } from "../../../core/fault.ts";
import { sleep } from "../../../core/wait.ts";
import type { GatewayConnection } from "../../../openclaw/open-gateway.ts";
import type { RunEvent } from "../../../openclaw/run-event.ts";
import type { ReplyOptions } from "../reply-backend.ts";

/** The result of a run. */
export interface RunOutcome {
  readonly text: string;
  readonly tools: readonly string[];
  /** Paths of files the agent announced as attachments; they are fetched afterwards. */
  readonly media: readonly string[];
}

export interface RunFollower {
  /** Settles when the run ends. */
  readonly outcome: Promise<RunOutcome>;
  handle(event: RunEvent): void;
  /** Ends the run with this text when its last event was missed. */
  end(text: string): void;
  fail(fault: Fault): void;
}

/** Turns the events of a run into the callbacks of a reply and, at the end, into its outcome. */
export function followRun({
  onPartial,
  onBlock,
  onActivity,
}: Pick<ReplyOptions, "onPartial" | "onBlock" | "onActivity">): RunFollower {
  const { promise: outcome, resolve, reject } = Promise.withResolvers<RunOutcome>();
  const tools = new Set<string>();
  const media = new Set<string>();
  let item = { id: "", text: "" };
  let activity = "working";
  outcome.catch(() => {});

  return { outcome, handle, end, fail: reject };

  function handle(event: RunEvent): void {
    switch (event.kind) {
      case "status":
        return report(event.activity);
      case "text":
        return handleText(event);
      case "block":
        return onBlock({ text: event.text });
      case "tool":
        tools.add(event.name);
        return report(`using ${event.name}`);
      case "heartbeat":
        return report(activity);
      case "final":
        return end(event.text);
      case "error":
        return reject(runFailed(event.message));
      case "aborted":
        return reject(new Fault("unavailable", `OpenClaw stopped the order. ${event.message}`.trim()));
    }
  }

  /** A new item is a new message, so the previous one is complete. */
  function handleText(event: Extract<RunEvent, { kind: "text" }>): void {
    if (event.item !== item.id && item.text !== "") onBlock({ text: item.text });
    item = { id: event.item, text: event.text };
    for (const each of event.media) media.add(each);
    report("writing");
    onPartial(event.text);
  }

  function report(now: string): void {
    activity = now;
    onActivity(now);
  }

  function end(text: string): void {
    resolve({ text, tools: [...tools], media: [...media] });
  }
}

export interface WatchedRun {
  readonly runId: string;
  /** The key in the order, not the gateway's. */
  readonly sessionKey: string;
  readonly follower: RunFollower;
  readonly signal: AbortSignal;
  /** Called while the gateway says that the run goes on. */
  onWaiting(): void;
}

const pollPauseMs = 250;
/** How long each `agent.wait` request asks the gateway to wait for the end of the run. */
const gatewayWaitMs = 15_000;

/** The answer to `agent.wait`. */
interface RunStatus {
  /** `timeout` and `pending`: not over yet, or not known. */
  readonly status?: string;
  readonly error?: string;
  readonly terminalReply?: { readonly text?: string };
}

/**
 * Asks the gateway what became of a run when the connection was lost and is back. The same gateway process still works on
 * it, or knows its result. A restarted gateway only knows that the run was interrupted.
 */
export function watchReconnects(gateway: GatewayConnection, run: WatchedRun): () => void {
  let losses = 0;
  let isOver = false;
  const over = (): void => void (isOver = true);
  run.follower.outcome.then(over, over);
  return gateway.onDisconnect(() => void settle(++losses, gateway.bootId()));

  async function settle(loss: number, bootId: string | undefined): Promise<void> {
    const { runId, sessionKey, follower, signal } = run;
    try {
      await gateway.connected(signal);
      const isSameBoot = bootId !== undefined && gateway.bootId() === bootId;
      while (!isOver) {
        const params = { runId, timeoutMs: isSameBoot ? gatewayWaitMs : 1000 };
        const answer = await gateway.request<RunStatus>("agent.wait", params, { signal });
        const text = answer.terminalReply?.text;
        if (answer.status === "ok" && (isSameBoot || text !== undefined)) return follower.end(text ?? "");
        if (answer.status === "error") return follower.fail(runFailed(answer.error));
        if (!isSameBoot) return follower.fail(runInterrupted(runId, sessionKey, "The gateway is back."));
        run.onWaiting();
        await sleep(pollPauseMs, signal);
      }
    } catch (error) {
      // Lost again while asking: the next call of `settle` takes care of it.
      if (losses === loss)
        follower.fail(runInterrupted(runId, sessionKey, `The gateway is not back yet: ${messageOf(error)}`));
    }
  }
}

function runFailed(reason = "no reason given"): Fault {
  return new Fault("unavailable", `OpenClaw could not answer: ${reason}`);
}

function runInterrupted(runId: string, sessionKey: string, now: string): Fault {
  const message =
    `The connection to OpenClaw's gateway was lost during this order (run ${runId}), so its outcome is unknown. ${now} ` +
    `OpenClaw resumes interrupted work by itself: before you repeat the order, ask for its outcome with sessionKey ${JSON.stringify(sessionKey)}.`;
  return new Fault("unavailable", message, { detail: { runId } });
}
