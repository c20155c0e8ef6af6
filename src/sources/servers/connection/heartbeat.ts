import { type Fault, toFault } from "../../../core/fault.ts";
import { RpcFault } from "../../../mcp/messages/json-rpc.ts";
import type { Link } from "./link.ts";

export interface HeartbeatOptions {
  readonly link: Link;
  /** 0 for never. */
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** Called after each beat; `problem` says why the server did not answer this one. */
  onBeat(problem: string | undefined): void;
  /** The server does not answer any more. */
  onGone(fault: Fault): void;
}

/** Finds out whether the server at the other end of a link is alive: regularly, and after a call without an answer. */
export interface Heartbeat {
  /** Asks the server now, and gives it up if it does not answer. */
  check(): void;
  /** Resolves when a running check is over; undefined if none is running. Nothing should be sent before. */
  checked(): Promise<void> | undefined;
  stop(): void;
}

/** Calls wait for a check, so it must be short. */
const maxCheckMs = 5000;

export function createHeartbeat({ link, intervalMs, timeoutMs, onBeat, onGone }: HeartbeatOptions): Heartbeat {
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> | undefined;
  let hasMissed = false;
  let isStopped = false;
  schedule();

  return {
    check() {
      checking ??= beat(Math.min(timeoutMs, maxCheckMs), true).finally(() => (checking = undefined));
    },
    checked: () => checking,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };

  function schedule(): void {
    clearTimeout(timer);
    if (intervalMs > 0 && !isStopped) timer = setTimeout(() => void beat(timeoutMs, false), intervalMs).unref();
  }

  /** Any answer means alive. A server that misses two beats in a row, or one check, is gone. */
  async function beat(withinMs: number, isCheck: boolean): Promise<void> {
    const method = link.agreement.era === "modern" ? "server/discover" : "ping";
    const fault = await link.request(method, {}, { timeoutMs: withinMs }).then(
      () => undefined,
      (error: unknown) => (error instanceof RpcFault ? undefined : toFault(error)),
    );
    if (isStopped) return;
    if (fault && (isCheck || hasMissed || fault.code === "unknown-session")) return onGone(fault);
    hasMissed = fault !== undefined;
    onBeat(fault?.message);
    schedule();
  }
}
