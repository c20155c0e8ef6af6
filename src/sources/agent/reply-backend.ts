import type { Log } from "../../core/log.ts";
import type { Answer, Question } from "../../mcp/messages/interim-messages.ts";
import type { Attachment } from "./media/check-media.ts";

/** What an agent is told. The message is the user's own words: no backend adds to it or takes from it. */
export interface ReplyRequest {
  readonly message: string;
  readonly sessionKey: string;
  readonly attachments: readonly Attachment[];
}

/** What came back besides text. It is read when it is put into the answer, if it is small enough for that. */
export interface ReplyMedia {
  /** Two mentions with the same id mean one thing. */
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** Where a person finds it when it is too large for the answer. */
  readonly where?: string | undefined;
  read(signal: AbortSignal): Promise<Buffer>;
}

export interface ReplyPayload {
  readonly text?: string | undefined;
  readonly media?: readonly ReplyMedia[] | undefined;
}

export interface ReplyOptions {
  /** Aborting it stops the agent's work, not just the wait for it. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** All that was written so far of the message that is being written. */
  onPartial(text: string): void;
  /** A finished piece of the answer, before the end. */
  onBlock(payload: ReplyPayload): void;
  /** What a tool of the agent has for the user. */
  onToolResult(payload: ReplyPayload): void;
  /** What the agent does just now, in a few words; also its sign of life. */
  onActivity(words: string): void;
  /** Puts a question of the agent to whoever gave the order; rejects with `missing-capability` where nobody can be asked. */
  ask(question: Question): Promise<Answer>;
  /** Known not to work where it is false. */
  readonly canAsk?: boolean | undefined;
}

export interface TokenUsage {
  readonly input: number;
  readonly output: number;
}

export interface AgentReply {
  readonly payloads: readonly ReplyPayload[];
  readonly runId?: string | undefined;
  /** Names of the tools that the agent used, each once. */
  readonly tools?: readonly string[] | undefined;
  readonly tokens?: TokenUsage | undefined;
  /** In money, where prices are known. */
  readonly cost?: number | undefined;
}

/** Hands a message to an agent and waits for it to finish. Pieces come by the callbacks, the end as the result. */
export type GetReply = (context: ReplyRequest, options: ReplyOptions) => Promise<AgentReply>;

/** Some agent behind the orders. */
export interface ReplyBackend extends AsyncDisposable {
  readonly name: "gateway" | "model" | "commands";
  readonly getReply: GetReply;
}

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
