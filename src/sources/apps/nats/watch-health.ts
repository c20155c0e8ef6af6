import { jetstream, JetStreamApiError } from "@nats-io/jetstream";
import { RequestError } from "@nats-io/transport-node";
import { messageOf } from "../../../core/fault.ts";
import type { NatsLinks } from "./nats-connection.ts";
import { managerOf, streamOf } from "./open-bucket.ts";

/** Whether sessions can be stored and bridges be claimed right now. */
export interface StoreHealth {
  /** What is wrong, and what to do about it; undefined if nothing is. */
  problem(): string | undefined;
  close(): void;
}

const buckets = ["sessions", "lives", "holders"] as const;
const everyMs = 2000;
const answerMs = 2000;
/** While the servers elect a leader they answer nothing, which passes by itself. */
const maxMisses = 2;
const streamNotFound = 10_059;

/** Asks about every bucket, and writes: a leader without a majority still answers questions for a while. */
export function watchHealth(links: NatsLinks): StoreHealth {
  const { main, prefix, log } = links;
  const ownKey = `$KV.${prefix}-holders.health`;
  let problem: string | undefined;
  let misses = 0;
  /** Whether a bucket was missing since the instance was last ready. */
  let isLost = false;
  let isClosed = false;
  let timer = setTimeout(() => void probe(), everyMs).unref();

  return {
    problem: () => problem,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };

  async function probe(): Promise<void> {
    // A lost connection is noticed elsewhere.
    if (links.isConnected()) note(await findProblem());
    if (!isClosed && !main.isClosed()) timer = setTimeout(() => void probe(), everyMs).unref();
  }

  function note(found: { readonly text: string; readonly isSure: boolean } | undefined): void {
    misses = found === undefined ? 0 : misses + 1;
    const next = found !== undefined && (found.isSure || misses >= maxMisses) ? found.text : undefined;
    if (found !== undefined && next === undefined) return;
    if (next !== undefined && problem === undefined) log.error(`this instance is not ready: ${next}`);
    if (found?.isSure === true) isLost = true;
    if (next === undefined && problem !== undefined) log.info("this instance is ready again");
    problem = next;
    if (next === undefined && isLost) {
      isLost = false;
      links.noteRestored();
    }
  }

  async function findProblem(): Promise<{ readonly text: string; readonly isSure: boolean } | undefined> {
    try {
      const manager = await managerOf(links, answerMs);
      for (const part of buckets) {
        const name = `${prefix}-${part}`;
        const isMissing = await manager.streams.info(streamOf(name)).then(
          () => false,
          (error: unknown) => {
            if (error instanceof JetStreamApiError && error.code === streamNotFound) return true;
            throw error;
          },
        );
        if (isMissing) return { text: missingText(name), isSure: true };
      }
      await jetstream(main, { timeout: answerMs }).publish(ownKey, "");
      return undefined;
    } catch (error) {
      const reason = error instanceof RequestError && error.isNoResponders() ? "no responders" : messageOf(error);
      return { text: `NATS can't store sessions (${reason}): are most of its servers up?`, isSure: false };
    }
  }
}

function missingText(name: string): string {
  return `the bucket ${name} is missing in NATS: restore it, or restart one instance, which makes an empty one`;
}
