import { Fault, isFault } from "../../core/fault.ts";
import { cancelledBy, orAborted } from "../../core/wait.ts";
import type { Params } from "../messages/json-rpc.ts";
import { answerInputRequests, type Ask, cancelInputRequests } from "./answer-questions.ts";
import { type CallOptions, signalOf } from "./call-options.ts";

/** What the rounds of a call need of the client that sends it. */
export interface RoundSender {
  /** Answers the questions of calls that bring no `ask` of their own. */
  readonly ask: Ask | undefined;
  /** Waits between two rounds in which the server asked nothing. */
  readonly pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  request(method: string, params: Params, options: CallOptions): Promise<Params>;
  /** Whether the result ends the call. */
  isComplete(result: Params, method: string): boolean;
}

/** How many rounds of questions a server may ask before the call fails. */
const maxRounds = 20;

/** A server that asks nothing wants to be asked again later: each time after twice as long. */
const firstPauseMs = 100;
const maxPauseMs = 5000;

/** How long a server has to take note of a call that was given up. */
const giveUpMs = 500;

/**
 * Goes on with a call whose first result is `input_required`: answers what the server asks before it gives its result,
 * each time with a request of its own.
 */
export async function answerRounds(
  sender: RoundSender,
  first: Params,
  method: string,
  params: Params,
  options: CallOptions,
): Promise<Params> {
  const { ask = sender.ask, toHub = false } = options;
  const signal = signalOf(options);
  let result = first;
  let pauseMs = firstPauseMs;
  for (let round = 0; round <= maxRounds; round++) {
    const answering = answerInputRequests(result.inputRequests, ask, toHub);
    let sent: Params;
    try {
      const inputResponses = await (signal === undefined ? answering : orAborted(answering, signal));
      const isAsked = Object.keys(inputResponses).length > 0;
      if (!isAsked && round < maxRounds) await sender.pause(pauseMs, signal);
      pauseMs = isAsked ? firstPauseMs : Math.min(2 * pauseMs, maxPauseMs);
      if (signal?.aborted) throw cancelledBy(signal);
      sent = { ...params, inputResponses, ...stateOf(result) };
    } catch (error) {
      if (isFault(error, "cancelled")) await giveUp(sender, result, method, params, options);
      throw error;
    }
    if (round === maxRounds) break;
    result = await sender.request(method, sent, options);
    if (sender.isComplete(result, method)) return result;
  }
  throw new Fault("outcome-unknown", `The server asked ${maxRounds} times for input without giving a result.`);
}

/**
 * Between two rounds no request is open that could be cancelled, and the server would wait for its answers. So the next
 * round is opened to be cancelled.
 */
async function giveUp(
  sender: RoundSender,
  result: Params,
  method: string,
  params: Params,
  options: CallOptions,
): Promise<void> {
  if (result.requestState === undefined) return;
  const { toHub = false, as, headers, trace } = options;
  const inputResponses = cancelInputRequests(result.inputRequests, toHub);
  const sent = { ...params, inputResponses, ...stateOf(result) };
  const signal = AbortSignal.timeout(giveUpMs);
  await sender.request(method, sent, { as, headers, trace, signal, timeoutMs: 0 }).catch(() => {});
}

function stateOf(result: Params): Params {
  return result.requestState === undefined ? {} : { requestState: result.requestState };
}
