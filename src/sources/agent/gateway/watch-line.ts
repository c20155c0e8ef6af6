import { Fault } from "../../../core/fault.ts";
import { sleep } from "../../../core/sleep.ts";
import { messageOf } from "../../../core/thrown.ts";
import type { RunFollower } from "./follow-run.ts";
import type { Gateway } from "./open-gateway.ts";

interface EndedRun {
  /** `timeout` and `pending`: not over yet, or not known. */
  readonly status?: string;
  readonly error?: string;
  readonly terminalReply?: { readonly text?: string };
}

export interface LostRun {
  readonly runId: string;
  /** As the order was given with it. */
  readonly sessionKey: string;
  readonly follower: RunFollower;
  readonly signal: AbortSignal;
  /** The run may well go on: this is a sign of life. */
  onWaiting(): void;
}

const restMs = 250;
/** How long the gateway is asked to wait for the end, each time. */
const waitMs = 15_000;

/**
 * Watches the line for an order that is being worked on. When it is lost and comes back, the gateway knows what became of
 * the run: the same gateway is still at it, or has its end; one that was started anew can only say that it was interrupted.
 */
export function watchLine(gateway: Gateway, run: LostRun): () => void {
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
        const params = { runId, timeoutMs: isSame ? waitMs : 1000 };
        const ended = await gateway.request<EndedRun>("agent.wait", params, { signal });
        const text = ended.terminalReply?.text;
        if (ended.status === "ok" && (isSame || text !== undefined)) return follower.end(text ?? "");
        if (ended.status === "error") return follower.fail(failed(ended.error));
        if (!isSame) return follower.fail(interrupted(runId, sessionKey, "It is back now."));
        run.onWaiting();
        await sleep(restMs, signal);
      }
    } catch (error) {
      // Lost once more while asking: that loss is settled on its own.
      if (losses === loss)
        follower.fail(interrupted(runId, sessionKey, `It has not come back yet: ${messageOf(error)}`));
    }
  }
}

function failed(reason = "no reason given"): Fault {
  return new Fault("unavailable", `OpenClaw could not answer: ${reason}`);
}

function interrupted(runId: string, sessionKey: string, now: string): Fault {
  const message =
    `OpenClaw's gateway went away while it was working on this order (run ${runId}), so its outcome is unknown here. ${now} ` +
    `OpenClaw takes up interrupted work by itself: ask what became of it with sessionKey ${JSON.stringify(sessionKey)} before ordering the same again.`;
  return new Fault("unavailable", message, { detail: { runId } });
}
