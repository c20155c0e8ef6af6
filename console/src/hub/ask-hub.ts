import { signal } from "@preact/signals";
import { Fault, isFaultCode } from "../../../src/core/fault.ts";
import {
  answerText,
  formatSignature,
  proofHeader,
  requestHeader,
  requestText,
} from "../../../src/doors/console/signed-texts.ts";
import { createNonce, hashOf, leave, session, sign, standing } from "./session.ts";

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly detail?: unknown };
}

/**
 * Whether the hub is there, as the stream of events tells: undefined before its first answer. What is to be sent waits for
 * that, and is not sent while the stream is broken: another program may hold the port by then.
 */
export const isHubThere = signal<boolean | undefined>(undefined);

/** This load of the page: the hub takes each number of it once. */
const channel = createNonce();
let counter = 0;

/** Sends one verb to the hub and returns its result. Faults say what to do now. */
export async function askHub(name: string, body: object, withinMs: number): Promise<unknown> {
  const response = await sendToHub(name, body, AbortSignal.timeout(withinMs));
  const answer = await answerOf(response);
  if ("result" in answer) return answer.result ?? undefined;
  throw faultOf(answer, response.status);
}

/** Sends a signed request once the hub is known to be there. Faults with `unavailable` if it can't be reached. */
export async function sendToHub(path: string, body: object | undefined, stop: AbortSignal): Promise<Response> {
  await untilThere(stop);
  return sendSigned(path, body, stop);
}

/** Sends a signed request, and returns the response only if the hub has proved in it who it is. */
export async function sendSigned(name: string, body: object | undefined, stop: AbortSignal): Promise<Response> {
  const own = await session;
  if (own === undefined || standing.value !== "signed-in") throw signedOutFault();
  const { id, key } = own;
  const method = body === undefined ? "GET" : "POST";
  const text = body === undefined ? "" : JSON.stringify(body);
  const path = `/console/api/${name}`;
  const request = { session: id, channel, counter: ++counter, method, path, bodyHash: await hashOf(text) };
  const signature = formatSignature(request, await sign(key, requestText(request)));
  const headers = { [requestHeader]: signature, ...(body && { "content-type": "application/json" }) };
  let response: Response;
  try {
    response = await fetch(path, { method, headers, signal: stop, ...(body && { body: text }) });
  } catch (error) {
    throw sendingFault(error);
  }
  if (response.headers.get(proofHeader) === (await sign(key, answerText(request)))) return response;
  await leave("unproven");
  throw signedOutFault();
}

function sendingFault(error: unknown): Fault {
  if (error instanceof DOMException && error.name === "AbortError") return new Fault("cancelled", "Cancelled.");
  if (error instanceof DOMException) return new Fault("timeout", "The hub took too long to answer. Try again.");
  return unreachable(error);
}

function unreachable(cause?: unknown): Fault {
  return new Fault("unavailable", "The hub can't be reached. Is it running?", { cause });
}

function signedOutFault(): Fault {
  return new Fault("unauthorized", "You are signed out. Run `clawport console` for a new link.");
}

async function untilThere(stop: AbortSignal): Promise<void> {
  if ((await session) === undefined) throw signedOutFault();
  const ended = new AbortController();
  try {
    await new Promise<void>((resolve, reject) => {
      stop.addEventListener("abort", () => reject(sendingFault(stop.reason)), ended);
      const unsubscribe = isHubThere.subscribe((isThere) => {
        if (isThere === true) resolve();
        if (isThere === false) reject(unreachable());
      });
      ended.signal.addEventListener("abort", unsubscribe);
    });
  } finally {
    ended.abort();
  }
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
  if (status === 401) return signedOutFault();
  if (status === 403) return new Fault("denied", "The hub refused this. Your link may only allow looking.");
  return new Fault("unavailable", `The hub did not answer as expected (status ${status}).`);
}
