import { type Fault, toFault } from "../../../core/fault.ts";
import { RpcFault } from "../../../mcp/messages/json-rpc.ts";
import type { Link } from "./link.ts";

export interface HeartbeatOptions {
  readonly link: Link;
  /** How often to look; 0 for never. */
  readonly everyMs: number;
  readonly timeoutMs: number;
  /** Looked, and somebody is there, or nobody answered this time. */
  onLook(problem: string | undefined): void;
  /** Nobody is there any more. */
  onGone(fault: Fault): void;
}

/** Finds out whether the server at the other end of a link is still alive: every so often, and when a call got no answer. */
export interface Heartbeat {
  /** Looks now. One that does not answer this either is gone. */
  doubt(): void;
  /** Resolves when there is no doubt: nothing should be sent before. */
  certain(): Promise<void> | undefined;
  stop(): void;
}

/** Nobody waits longer for a sign of life that a call in doubt asked for. */
const maxDoubtMs = 5000;

export function createHeartbeat({ link, everyMs, timeoutMs, onLook, onGone }: HeartbeatOptions): Heartbeat {
  let timer: NodeJS.Timeout | undefined;
  let doubting: Promise<void> | undefined;
  let isMissed = false;
  let isStopped = false;
  wait();

  return {
    doubt() {
      doubting ??= look(Math.min(timeoutMs, maxDoubtMs), true).finally(() => (doubting = undefined));
    },
    certain: () => doubting,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };

  function wait(): void {
    clearTimeout(timer);
    if (everyMs > 0 && !isStopped) timer = setTimeout(() => void look(timeoutMs, false), everyMs).unref();
  }

  /** A server that answers anything at all is alive; one that misses two looks in a row, or one in doubt, is given up. */
  async function look(withinMs: number, isLast: boolean): Promise<void> {
    const method = link.agreement.era === "modern" ? "server/discover" : "ping";
    const fault = await link.request(method, {}, { timeoutMs: withinMs }).then(
      () => undefined,
      (error: unknown) => (error instanceof RpcFault ? undefined : toFault(error)),
    );
    if (isStopped) return;
    if (fault && (isLast || isMissed || fault.code === "unknown-session")) return onGone(fault);
    isMissed = fault !== undefined;
    onLook(fault?.message);
    wait();
  }
}
