import type { AppTool, ToolRun } from "./app-tool.ts";

/** A message of the proxy, as far as it is about a call. */
export interface BridgeMessage {
  readonly type?: unknown;
  readonly request_id?: unknown;
  readonly tool_name?: string;
  readonly arguments?: unknown;
  readonly ask_id?: string;
  readonly ok?: unknown;
  readonly answer?: unknown;
  readonly error?: string;
  readonly reason?: string;
}

export interface RunsOptions {
  tools(): ReadonlyMap<string, AppTool>;
  /** Sends over whichever bridge there is now; says whether there was one. */
  send(text: string): boolean;
}

/** The calls this app was given: each is run once, however often it comes. */
export interface Runs {
  take(message: BridgeMessage): void;
}

interface Entry {
  readonly stop: AbortController;
  readonly asks: Map<string, PromiseWithResolvers<Readonly<Record<string, unknown>>>>;
  /** The answer as it was sent, once it is done. */
  result?: string;
}

/** Calls that are remembered after they are done. */
const mostRemembered = 1000;
/** A longer answer is not kept: if its call came again, nobody could be given it. */
const longestRemembered = 64 * 1024;

export function createRuns({ tools, send }: RunsOptions): Runs {
  const entries = new Map<string, Entry>();

  return {
    take(message) {
      const { type, request_id: requestId } = message;
      if (typeof requestId !== "string") return;
      const entry = entries.get(requestId);
      if (type === "invoke_tool") {
        if (!entry) void start(requestId, message);
        else if (entry.result) send(entry.result);
      } else if (type === "cancel_tool") entry?.stop.abort(new Error(message.reason ?? "cancelled"));
      else if (type === "ask_answer") settleAsk(entry, message);
    },
  };

  async function start(requestId: string, message: BridgeMessage): Promise<void> {
    const entry: Entry = { stop: new AbortController(), asks: new Map() };
    entries.set(requestId, entry);
    let outcome: object;
    try {
      const tool = tools().get(message.tool_name ?? "");
      if (!tool) throw new Error(`There is no tool called ${message.tool_name} here.`);
      outcome = { ok: true, content: (await tool.run(message.arguments ?? {}, runOf(requestId, entry))) ?? null };
    } catch (error) {
      outcome = { ok: false, error: error instanceof Error ? error.message : String(error) };
    }
    const text = JSON.stringify({ type: "invoke_result", request_id: requestId, ...outcome });
    const forgotten = { ok: false, error: "This call has run already, and its result is not kept any more." };
    const isShort = text.length <= longestRemembered;
    entry.result = isShort ? text : JSON.stringify({ type: "invoke_result", request_id: requestId, ...forgotten });
    for (const [id, { result }] of entries) {
      if (entries.size <= mostRemembered) break;
      if (result) entries.delete(id);
    }
    if (!entry.stop.signal.aborted) send(text);
  }

  function runOf(requestId: string, entry: Entry): ToolRun {
    return {
      requestId,
      signal: entry.stop.signal,
      progress(progress, total, text) {
        send(JSON.stringify({ type: "invoke_progress", request_id: requestId, progress, total, message: text }));
      },
      log(level, data) {
        send(JSON.stringify({ type: "invoke_log", request_id: requestId, level, data }));
      },
      ask(params) {
        const askId = `${entry.asks.size + 1}`;
        const asked = Promise.withResolvers<Readonly<Record<string, unknown>>>();
        entry.asks.set(askId, asked);
        entry.stop.signal.addEventListener("abort", () => asked.reject(entry.stop.signal.reason));
        if (!send(JSON.stringify({ type: "invoke_ask", request_id: requestId, ask_id: askId, params }))) {
          asked.reject(new Error("The bridge is not connected: nobody can be asked."));
        }
        return asked.promise;
      },
    };
  }

  function settleAsk(entry: Entry | undefined, { ask_id: askId, ok, answer, error }: BridgeMessage): void {
    const asked = entry?.asks.get(askId ?? "");
    if (ok === true) asked?.resolve((answer ?? {}) as Readonly<Record<string, unknown>>);
    else asked?.reject(new Error(error ?? "nobody answered"));
  }
}
