import { controlOf } from "./verb.ts";
import { type VerbControl, verbs } from "./verbs.ts";

/** Sends one verb to a hub and returns its result. */
export type AskHub = (name: string, body: object, withinMs: number, signal?: AbortSignal) => Promise<unknown>;

/** The client's end of the control API: each method is a request to the hub. */
export function createVerbClient(ask: AskHub): VerbControl {
  return controlOf(
    verbs,
    (area, name, { withinMs }) =>
      (input = {}, signal) =>
        ask(`${area}.${name}`, input, withinMs, signal),
  );
}
