import type { GivenApproval } from "../../catalog/advice.ts";
import type { Caller } from "../../catalog/caller.ts";
import type { Log } from "../../core/log.ts";
import type { Answer, Question } from "../../mcp/messages/interim-messages.ts";
import type { Attachment } from "./media/check-media.ts";

/** What an agent gets. The message is the user's own text: no backend changes it. */
export interface ReplyRequest {
  readonly message: string;
  /** Of the conversation: for a named token not the key in the order, see `scopeSessionKey`. */
  readonly sessionKey: string;
  readonly attachments: readonly Attachment[];
}

/** An image, audio or a file in a reply. It is read only when it is put into the answer, if it is small enough. */
export interface ReplyMedia {
  /** The same id means the same media. */
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** Where the user can find it if it is too large for the answer. */
  readonly where?: string | undefined;
  read(signal: AbortSignal): Promise<Buffer>;
}

export interface ReplyPayload {
  readonly text?: string | undefined;
  readonly media?: readonly ReplyMedia[] | undefined;
}

export interface ReplyOptions {
  /** Who placed the order. Everything that is done for it is done as this caller. */
  readonly caller: Caller;
  /** Aborting it stops the agent, not just the wait for its reply. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** The whole text so far of the message that the agent is writing. */
  onPartial(text: string): void;
  /** A finished part of the answer, before the end. */
  onBlock(payload: ReplyPayload): void;
  /** Output of a tool that is meant for the user. */
  onToolResult(payload: ReplyPayload): void;
  /** What the agent is doing, in a few words; also a sign of life. */
  onActivity(activity: string): void;
  /** Asks the caller of the order; rejects with `missing-capability` if no one can be asked. */
  ask(question: Question): Promise<Answer>;
  /** false if `ask` is known to fail; undefined if unknown. */
  readonly canAsk?: boolean | undefined;
  /** The user's answer to the guard's question about what the order does, if they have given it: they typed the command. */
  readonly approval?: GivenApproval | undefined;
}

export interface TokenUsage {
  readonly input: number;
  readonly output: number;
}

export interface AgentReply {
  readonly payloads: readonly ReplyPayload[];
  readonly runId?: string | undefined;
  /** Names of the tools that the agent used, without repeats. */
  readonly tools?: readonly string[] | undefined;
  readonly tokens?: TokenUsage | undefined;
  /** In money, if prices are configured. */
  readonly cost?: number | undefined;
}

/** Sends a message to an agent and waits until it has finished. Parts of the reply arrive by the callbacks. */
export type GetReply = (request: ReplyRequest, options: ReplyOptions) => Promise<AgentReply>;

/** An agent that carries out orders. */
export interface ReplyBackend extends AsyncDisposable {
  readonly name: "gateway" | "model" | "commands";
  readonly getReply: GetReply;
}

/** An agent that may be available. */
export interface BackendCandidate {
  readonly name: ReplyBackend["name"];
  isThere(): Promise<boolean>;
  open(): Promise<ReplyBackend>;
}

export interface ChosenBackend extends ReplyBackend {
  /** Chooses and opens an agent now, so that the first order need not wait for it. */
  prepare(): void;
}

/**
 * Sends each order to the first available agent, or to the fallback. An agent that was chosen once gets all later orders: a
 * conversation must not move because its agent is away for a moment.
 */
export function chooseBackend(candidates: readonly BackendCandidate[], fallback: ReplyBackend): ChosenBackend {
  let chosen: Promise<ReplyBackend> | undefined;

  async function openFirst(): Promise<ReplyBackend | undefined> {
    for (const candidate of candidates) if (await candidate.isThere()) return candidate.open();
    return undefined;
  }

  function choose(): Promise<ReplyBackend> {
    // Two orders at once must not open two agents.
    const choice = (chosen ??= openFirst().then((found) => {
      if (found === undefined) chosen = undefined;
      return found ?? fallback;
    }));
    choice.catch(() => (chosen = undefined));
    return choice;
  }

  return {
    name: fallback.name,
    prepare: () => void choose().catch(() => {}),
    getReply: async (request, options) => (await choose()).getReply(request, options),
    async [Symbol.asyncDispose]() {
      const open = await chosen?.catch(() => undefined);
      await open?.[Symbol.asyncDispose]();
      await fallback[Symbol.asyncDispose]();
    },
  };
}
