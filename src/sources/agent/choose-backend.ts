import type { ReplyBackend } from "./reply.ts";

/** An agent that may be there or not. */
export interface BackendCandidate {
  readonly name: ReplyBackend["name"];
  isThere(): Promise<boolean>;
  open(): Promise<ReplyBackend>;
}

/**
 * Sends each order to the first agent that is there. One that has taken an order keeps the rest: a conversation must not
 * go on elsewhere because its agent is away for a moment.
 */
export function chooseBackend(candidates: readonly BackendCandidate[], last: ReplyBackend): ReplyBackend {
  let kept: Promise<ReplyBackend> | undefined;

  async function find(): Promise<ReplyBackend | undefined> {
    for (const candidate of candidates) if (await candidate.isThere()) return candidate.open();
    return undefined;
  }

  function choose(): Promise<ReplyBackend> {
    // Two orders at once must not open two of them.
    const chosen = (kept ??= find().then((found) => {
      if (found === undefined) kept = undefined;
      return found ?? last;
    }));
    chosen.catch(() => (kept = undefined));
    return chosen;
  }

  // The first order should not have to wait for the way to be found.
  choose().catch(() => {});

  return {
    name: last.name,
    getReply: async (context, options) => (await choose()).getReply(context, options),
    async [Symbol.asyncDispose]() {
      const open = await kept?.catch(() => undefined);
      await open?.[Symbol.asyncDispose]();
      await last[Symbol.asyncDispose]();
    },
  };
}
