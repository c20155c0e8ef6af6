import type { Readable, Writable } from "node:stream";
import type { Unsubscribe } from "../../../../catalog/source.ts";
import { Fault } from "../../../../core/fault.ts";
import { asRecord } from "../../../../core/is-record.ts";
import { orAborted } from "../../../../core/wait.ts";

export type DevToolsObject = Readonly<Record<string, unknown>>;

export interface DevToolsEvent {
  readonly method: string;
  readonly params: DevToolsObject;
  /** The page or frame it is about; undefined for the browser itself. */
  readonly session?: string;
}

/** A browser that is driven by the DevTools protocol: JSON messages, each ended by a NUL. */
export interface DevTools {
  /** Faults with `unavailable` if the browser refuses or is gone. */
  send(method: string, params?: DevToolsObject, more?: DevtoolsOptions): Promise<DevToolsObject>;
  onEvent(listener: (event: DevToolsEvent) => void): Unsubscribe;
}

export interface DevtoolsOptions {
  readonly session?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A longer message ends the connection. A picture of the largest page that is drawn is smaller. */
const maxMessageBytes = 64 * 1024 * 1024;

interface Waiting {
  resolve(result: DevToolsObject): void;
  reject(error: Error): void;
}

/** `onLost` is called once, when the browser has closed its end or has sent what can't be read. */
export function connectDevTools(input: Writable, output: Readable, onLost: (why: string) => void): DevTools {
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<(event: DevToolsEvent) => void>();
  let parts: Buffer[] = [];
  let size = 0;
  let lastId = 0;
  let lost: string | undefined;

  function lose(why: string): void {
    if (lost !== undefined) return;
    lost = why;
    for (const { reject } of waiting.values()) reject(new Fault("unavailable", why));
    waiting.clear();
    parts = [];
    onLost(why);
  }

  function take(chunk: Buffer): void {
    for (let rest = chunk; lost === undefined;) {
      const end = rest.indexOf(0);
      const part = end < 0 ? rest : rest.subarray(0, end);
      parts.push(part);
      size += part.length;
      if (size > maxMessageBytes) return lose("The page sent too much at once.");
      if (end < 0) return;
      read(Buffer.concat(parts).toString("utf8"));
      parts = [];
      size = 0;
      rest = rest.subarray(end + 1);
    }
  }

  function read(text: string): void {
    let message: DevToolsObject;
    try {
      message = asRecord(JSON.parse(text));
    } catch {
      return lose("The browser sent something that is not JSON.");
    }
    const { id, method, params, sessionId, result, error } = message;
    if (typeof id === "number") {
      const { resolve, reject } = waiting.get(id) ?? {};
      waiting.delete(id);
      if (error === undefined) resolve?.(asRecord(result));
      else reject?.(new Fault("unavailable", String(asRecord(error)["message"]).slice(0, 500)));
    } else if (typeof method === "string") {
      const event = { method, params: asRecord(params), ...(typeof sessionId === "string" && { session: sessionId }) };
      for (const listener of listeners) listener(event);
    }
  }

  output.on("data", take);
  output.on("error", () => lose("The browser is gone."));
  output.once("close", () => lose("The browser is gone."));
  input.on("error", () => lose("The browser is gone."));

  return {
    send(method, params = {}, { session, signal } = {}) {
      if (lost !== undefined) return Promise.reject(new Fault("unavailable", lost));
      const id = ++lastId;
      const answer = new Promise<DevToolsObject>((resolve, reject) => void waiting.set(id, { resolve, reject }));
      input.write(`${JSON.stringify({ id, method, params, ...(session !== undefined && { sessionId: session }) })}\0`);
      return signal === undefined ? answer : orAborted(answer, signal);
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
