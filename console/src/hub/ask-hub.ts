import { Fault, isFaultCode } from "../../../src/core/fault.ts";
import { sessionHeaders } from "./session.ts";

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly detail?: unknown };
}

/** Sends one verb to the hub and returns its result. Faults say what to do now. */
export async function askHub(name: string, body: object, withinMs: number): Promise<unknown> {
  const response = await sendToHub(name, body, AbortSignal.timeout(withinMs));
  const answer = await answerOf(response);
  if ("result" in answer) return answer.result ?? undefined;
  throw faultOf(answer, response.status);
}

/** Sends a request that carries the session. Faults with `unavailable` if the hub can't be reached. */
export async function sendToHub(path: string, body: object | undefined, signal: AbortSignal): Promise<Response> {
  const headers = { ...sessionHeaders(), ...(body && { "content-type": "application/json" }) };
  const method = body === undefined ? "GET" : "POST";
  const init = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) };
  let response: Response;
  try {
    response = await fetch(`/console/api/${path}`, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw new Fault("cancelled", "Cancelled.");
    if (error instanceof DOMException) throw new Fault("timeout", "The hub took too long to answer. Try again.");
    throw new Fault("unavailable", "The hub can't be reached. Is it running?", { cause: error });
  }
  return response;
}

/** What a response that is no result says is wrong. */
export async function faultOfResponse(response: Response): Promise<Fault> {
  return faultOf(await answerOf(response), response.status);
}

async function answerOf(response: Response): Promise<Answer> {
  try {
    const value: unknown = await response.json();
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

function faultOf({ error }: Answer, status: number): Fault {
  if (isFaultCode(error?.code) && typeof error?.message === "string")
    return new Fault(error.code, error.message, { detail: error.detail });
  if (status === 401) return new Fault("unauthorized", "You are signed out. Run `clawport console` for a new link.");
  if (status === 403) return new Fault("denied", "The hub refused this. Your link may only allow looking.");
  return new Fault("unavailable", `The hub did not answer as expected (status ${status}).`);
}
