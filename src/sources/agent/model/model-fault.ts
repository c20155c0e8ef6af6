import { APICallError, RetryError } from "ai";
import { Fault } from "../../../core/fault.ts";
import { maskSent } from "../../../core/mask-sent.ts";
import { peerWords } from "../../../core/peer-words.ts";
import { messageOf } from "../../../core/thrown.ts";
import type { ModelSettings } from "./find-model.ts";

/** What the library threw, in words that help: how often it tried is of no use, where it tried is. */
export function modelFault({ name, url, apiKey = "" }: ModelSettings, thrown: unknown): Fault {
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
  const isSilent = APICallError.isInstance(error) && error.statusCode === undefined;
  const message = isSilent
    ? `No model server answers at ${new URL(url).origin}. Is it running? CLAWPORT_MODEL_URL says where it is, or agent.model.url in the configuration.`
    : `The model ${name} did not answer: ${peerWords(maskSent(messageOf(error), [apiKey]), 300)}`;
  return new Fault("unavailable", message, { cause: thrown });
}
