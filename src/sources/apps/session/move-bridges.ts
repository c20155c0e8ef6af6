import type { Log } from "../../../core/log.ts";
import { sleep } from "../../../core/wait.ts";
import type { CallBus } from "../call/call-bus.ts";
import type { LiveSession } from "./live-session.ts";

export interface MoveOptions {
  readonly bus: CallBus;
  readonly log: Log;
  /** How long running calls may take. */
  readonly withinMs: number;
}

/** How long callers wait for an app that was asked to connect elsewhere. */
const moveMs = 15_000;

/** Asks the apps to connect to another instance, in random order, each once its calls are done. */
export async function moveBridges(sessions: readonly LiveSession[], options: MoveOptions): Promise<void> {
  const { withinMs } = options;
  const deadline = Date.now() + withinMs;
  const moving = sessions.filter(({ bridge }) => bridge !== undefined).sort(() => Math.random() - 0.5);
  // Not all at once: the other instances have to take them in.
  const pauseMs = Math.min(20, withinMs / 4 / Math.max(1, moving.length));
  await Promise.all(
    moving.map(async (session, at) => {
      await sleep(at * pauseMs);
      await moveBridge(session, deadline, options);
    }),
  );
}

async function moveBridge(session: LiveSession, deadline: number, { bus, log }: MoveOptions): Promise<void> {
  const { bridge, releaseBridge } = session;
  if (bridge === undefined) return;
  await bus.expectMove(session.id, moveMs).catch((error: unknown) => log.warn("a move was not announced", { error }));
  releaseBridge?.();
  while (bridge.isOpen && bridge.inFlight > 0 && Date.now() < deadline) await sleep(20);
  if (session.bridge === bridge) bridge.close("draining");
}
