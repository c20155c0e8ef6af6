import { Fault, messageOf } from "../../../core/fault.ts";
import { sleep } from "../../../core/wait.ts";
import type { GatewayConnection } from "../../../openclaw/open-gateway.ts";
import type { RunEvent } from "../../../openclaw/run-event.ts";
import type { ReplyOptions } from "../reply-backend.ts";

/** What is known of a run when it is over. */
export interface RunOutcome {
  readonly text: string;
  readonly tools: readonly string[];
  /** What the agent has announced to attach, by its own words; it is fetched afterwards. */
  readonly media: readonly string[];
}

export interface RunFollower {
  /** Settles with the run. */
  readonly outcome: Promise<RunOutcome>;
  take(event: RunEvent): void;
  /** The run is known to have ended in another way than by its events. */
  end(text: string): void;
  fail(fault: Fault): void;
}

/** Turns the events of a run into the callbacks of a reply and, at last, its outcome. */
export function followRun({
  onPartial,
  onBlock,
  onActivity,
}: Pick<ReplyOptions, "onPartial" | "onBlock" | "onActivity">): RunFollower {
  const { promise: outcome, resolve, reject } = Promise.withResolvers<RunOutcome>();
  const tools = new Set<string>();
  let item = { id: "", text: "" };
  let words = "working";
  const media = new Set<string>();
  outcome.catch(() => {});

  return { outcome, take, fail: reject, end: (text) => resolve({ text, tools: [...tools], media: [...media] }) };

  function take(event: RunEvent): void {
    switch (event.kind) {
      case "status":
        return say(event.words);
      case "text":
        return takeText(event);
      case "block":
        return onBlock({ text: event.text });
      case "tool":
        tools.add(event.name);
        return say(`using ${event.name}`);
      case "sign-of-life":
        return say(words);
      case "final":
        return resolve({ text: event.text, tools: [...tools], media: [...media] });
      case "error":
        return reject(new Fault("unavailable", `OpenClaw could not answer: ${event.message}`));
      case "aborted":
        return reject(new Fault("unavailable", `The order was stopped inside OpenClaw. ${event.message}`.trim()));
    }
  }

  /** A new item is a new message: the one before it is complete. */
  function takeText(event: Extract<RunEvent, { kind: "text" }>): void {
    if (event.item !== item.id && item.text !== "") onBlock({ text: item.text });
    item = { id: event.item, text: event.text };
    for (const each of event.media) media.add(each);
    say("writing");
    onPartial(event.text);
  }

  function say(now: string): void {
    words = now;
    onActivity(now);
  }
}

interface EndedRun {
  /** `timeout` and `pending`: not over yet, or not known. */
  readonly status?: string;
  readonly error?: string;
  readonly terminalReply?: { readonly text?: string };
}

export interface WatchedRun {
  readonly runId: string;
  /** As the order was given with it. */
  readonly sessionKey: string;
  readonly follower: RunFollower;
  readonly signal: AbortSignal;
  /** The run may well go on: this is a sign of life. */
  onWaiting(): void;
}

const pollPauseMs = 250;
/** How long the gateway is asked to wait for the end, each time. */
const gatewayWaitMs = 15_000;

/**
 * Watches the line for an order that is being worked on. When it is lost and comes back, the gateway knows what became of
 * the run: the same gateway is still at it, or has its end; one that was started anew can only say that it was interrupted.
 */
export function watchReconnects(gateway: GatewayConnection, run: WatchedRun): () => void {
  let losses = 0;
  let isOver = false;
  const over = (): void => void (isOver = true);
  run.follower.outcome.then(over, over);
  return gateway.onLost(() => void settle(++losses, gateway.bootId()));

  async function settle(loss: number, bootId: string | undefined): Promise<void> {
    const { runId, sessionKey, follower, signal } = run;
    try {
      await gateway.connected(signal);
      const isSame = bootId !== undefined && gateway.bootId() === bootId;
      while (!isOver) {
        const params = { runId, timeoutMs: isSame ? gatewayWaitMs : 1000 };
        const ended = await gateway.request<EndedRun>("agent.wait", params, { signal });
        const text = ended.terminalReply?.text;
        if (ended.status === "ok" && (isSame || text !== undefined)) return follower.end(text ?? "");
        if (ended.status === "error") return follower.fail(failed(ended.error));
        if (!isSame) return follower.fail(runInterrupted(runId, sessionKey, "It is back now."));
        run.onWaiting();
        await sleep(pollPauseMs, signal);
      }
    } catch (error) {
      // Lost once more while asking: that loss is settled on its own.
      if (losses === loss)
        follower.fail(runInterrupted(runId, sessionKey, `It has not come back yet: ${messageOf(error)}`));
    }
  }
}

function failed(reason = "no reason given"): Fault {
  return new Fault("unavailable", `OpenClaw could not answer: ${reason}`);
}

function runInterrupted(runId: string, sessionKey: string, now: string): Fault {
  const message =
    `OpenClaw's gateway went away while it was working on this order (run ${runId}), so its outcome is unknown here. ${now} ` +
    `OpenClaw takes up interrupted work by itself: ask what became of it with sessionKey ${JSON.stringify(sessionKey)} before ordering the same again.`;
  return new Fault("unavailable", message, { detail: { runId } });
}
