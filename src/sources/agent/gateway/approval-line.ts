import type { Gateway } from "./open-gateway.ts";

/**
 * The line over which OpenClaw sends what needs a person's approval. A client that takes approvals is one that OpenClaw
 * waits for, in all its conversations: so there is such a line only while orders run whose giver can be asked.
 */
export interface ApprovalLine {
  /** Whoever has it, has it until it is released. */
  hold(signal: AbortSignal): Promise<HeldLine>;
  close(): Promise<void>;
}

export interface HeldLine {
  readonly gateway: Gateway;
  release(): void;
}

/** Orders often come one after the other. */
const lingerMs = 10_000;

export function createApprovalLine(open: () => Promise<Gateway>, linger: number = lingerMs): ApprovalLine {
  let line: Promise<Gateway> | undefined;
  let holders = 0;
  let timer: NodeJS.Timeout | undefined;

  async function hangUp(): Promise<void> {
    const old = line;
    line = undefined;
    await (await old?.catch(() => undefined))?.close();
  }

  function letGo(): void {
    if (--holders > 0) return;
    timer = setTimeout(() => void hangUp(), linger);
    timer.unref();
  }

  return {
    async hold(signal) {
      clearTimeout(timer);
      holders++;
      try {
        const gateway = await (line ??= open());
        await gateway.connected(signal);
        let isHeld = true;
        const release = (): void => {
          if (isHeld) letGo();
          isHeld = false;
        };
        return { gateway, release };
      } catch (error) {
        letGo();
        throw error;
      }
    },
    async close() {
      clearTimeout(timer);
      await hangUp();
    },
  };
}
