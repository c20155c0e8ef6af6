import type { Connection } from "./connection.ts";

export interface IdleStopOptions {
  readonly connection: Pick<Connection, "state" | "inFlight" | "usedAt" | "listen" | "sleep">;
  readonly idleMs: number;
  /** Whether the server must keep running although no call does. */
  isNeeded(): boolean;
  readonly now: () => number;
}

/** Stops a server that nothing has used for a while. Returns what ends the watching. */
export function stopWhenIdle({ connection, idleMs, isNeeded, now }: IdleStopOptions): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stopListening = connection.listen({
    onState: ({ kind }) => {
      if (kind === "connecting") checkAfter(idleMs);
    },
  });
  return () => {
    stopListening();
    clearTimeout(timer);
  };

  function checkAfter(ms: number): void {
    timer ??= setTimeout(check, ms).unref();
  }

  function check(): void {
    timer = undefined;
    const { kind } = connection.state();
    if (kind === "sleeping" || kind === "queued" || kind === "stopped") return;
    const isUsed = kind === "connecting" || connection.inFlight() > 0 || isNeeded();
    const leftMs = isUsed ? idleMs : connection.usedAt() + idleMs - now();
    if (leftMs > 0) checkAfter(leftMs);
    else void connection.sleep();
  }
}
