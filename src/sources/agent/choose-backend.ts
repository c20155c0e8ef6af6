import type { ReplyBackend } from "./reply.ts";

/** An agent that may be there or not. */
export interface BackendCandidate {
  readonly name: ReplyBackend["name"];
  isThere(): Promise<boolean>;
  open(): Promise<ReplyBackend>;
}

export interface ChosenBackend extends ReplyBackend {
  /** Finds the way now, so that the first order need not wait for it. */
  prepare(): void;
}

/**
 * Sends each order to the first agent that is there. One that has taken an order keeps the rest: a conversation must not
 * go on elsewhere because its agent is away for a moment.
 */
export function chooseBackend(candidates: readonly BackendCandidate[], last: ReplyBackend): ChosenBackend {
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

  return {
    name: last.name,
    prepare: () => void choose().catch(() => {}),
    getReply: async (context, options) => (await choose()).getReply(context, options),
    async [Symbol.asyncDispose]() {
      const open = await kept?.catch(() => undefined);
      await open?.[Symbol.asyncDispose]();
      await last[Symbol.asyncDispose]();
    },
  };
}
