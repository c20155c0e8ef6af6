import { signal } from "@preact/signals";
import { isHubThere, sendSigned } from "./ask-hub.ts";
import { leave, session, standing } from "./session.ts";

/** One piece of news from the hub. */
export interface HubEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Connection {
  readonly state: "connecting" | "live" | "lost";
  /** When the last news came, in milliseconds since the epoch. */
  readonly newsAt: number;
}

export const connection = signal<Connection>({ state: "connecting", newsAt: 0 });
/** Whether this session may approve and change things, or only look. */
export const mayChange = signal(true);

type Listener = (event: HubEvent) => void;
const listeners = new Set<Listener>();

/** Calls the listener with every event; `hello` comes after each reconnection. */
export function onHubEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The hub sends a heartbeat every 15 s. */
const silenceMs = 40_000;
const firstRetryMs = 400;
const maxRetryMs = 5000;
/** No event of the hub is near this long. */
const maxEventLength = 1_000_000;

/** Follows the hub's events for as long as the session lasts. */
export async function followHub(): Promise<void> {
  let waitMs = firstRetryMs;
  await session;
  while (standing.value === "signed-in") {
    const heard = await followOnce();
    waitMs = heard ? firstRetryMs : Math.min(waitMs * 2, maxRetryMs);
    isHubThere.value = false;
    connection.value = { ...connection.value, state: "lost" };
    await pause(waitMs);
  }
}

async function followOnce(): Promise<boolean> {
  const stop = new AbortController();
  let heard = false;
  let silence = setTimeout(() => stop.abort(), silenceMs);
  try {
    const response = await sendSigned("events", undefined, stop.signal);
    // Elsewhere this status can be about a server that needs a sign-in.
    if (response.status === 401) await leave("signed-out");
    isHubThere.value = response.ok;
    if (!response.ok || response.body === null) return false;
    for await (const text of linesOf(response.body)) {
      heard = true;
      clearTimeout(silence);
      silence = setTimeout(() => stop.abort(), silenceMs);
      connection.value = { state: "live", newsAt: Date.now() };
      if (text.startsWith("data:")) tell(text.slice(5));
    }
  } catch {
    // However the stream ended, it is opened again.
  } finally {
    clearTimeout(silence);
    stop.abort();
  }
  return heard;
}

function tell(text: string): void {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    return;
  }
  if (typeof event !== "object" || event === null || !("type" in event)) return;
  const known = event as HubEvent;
  if (known.type === "hello") mayChange.value = known["mayChange"] !== false;
  for (const listener of listeners) listener(known);
}

/** The lines of a stream of UTF-8. */
export async function* linesOf(body: ReadableStream<Uint8Array>, longest = maxEventLength): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length > longest) return;
  }
  if (rest !== "") yield rest;
}

/** Waits, but not longer than until the user comes back to the page. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
      resolve();
    };
    const onVisible = (): void => {
      if (document.visibilityState === "visible") done();
    };
    const timer = setTimeout(done, ms);
    document.addEventListener("visibilitychange", onVisible);
  });
}
