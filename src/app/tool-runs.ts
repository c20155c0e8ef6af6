import type { AppTool, ToolRun } from "./app-tool.ts";

/** The fields of a message of the proxy that is about a call. */
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

export interface ToolRunsOptions {
  tools(): ReadonlyMap<string, AppTool>;
  /** Sends over the current bridge. Returns false if there is none. */
  send(text: string): boolean;
}

/** The calls that this app has received. Each is run once, however often it arrives. */
export interface ToolRuns {
  take(message: BridgeMessage): void;
  /** The bridge is lost: open questions get no answer any more. The calls go on. */
  lost(): void;
  /** The app is closed: aborts the calls that still run. */
  stop(): void;
}

interface Entry {
  readonly stop: AbortController;
  readonly asks: Map<string, PromiseWithResolvers<Readonly<Record<string, unknown>>>>;
  /** The message with the result, once the call has ended. */
  result?: string;
}

/** How many ended calls are remembered. */
const maxRemembered = 1000;
/** A longer result is not kept. If its call arrives again, the caller gets an error. */
const maxRememberedLength = 64 * 1024;

export function createToolRuns({ tools, send }: ToolRunsOptions): ToolRuns {
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
    lost() {
      const why = new Error("The bridge was lost before the question was answered.");
      for (const { asks } of entries.values()) asks.forEach((asked) => asked.reject(why));
    },
    stop() {
      for (const { stop, result } of entries.values()) {
        if (result === undefined) stop.abort(new Error("The app was closed."));
      }
    },
  };

  async function start(requestId: string, message: BridgeMessage): Promise<void> {
    const entry: Entry = { stop: new AbortController(), asks: new Map() };
    entries.set(requestId, entry);
    const head = `{"type":"invoke_result","request_id":${JSON.stringify(requestId)}`;
    const failed = (why: string): string => `${head},"ok":false,"error":${JSON.stringify(why)}}`;
    let text: string;
    try {
      const tool = tools().get(message.tool_name ?? "");
      if (!tool) throw new Error(`This app has no tool named ${message.tool_name}.`);
      const content = await tool.run(message.arguments ?? {}, createRun(requestId, entry));
      text = `${head},"ok":true,"content":${resultJson(content)}}`;
    } catch (error) {
      text = failed(messageOf(error));
    }
    const isShort = text.length <= maxRememberedLength;
    entry.result = isShort ? text : failed("This call already ran, but its result is no longer kept.");
    for (const [id, { result }] of entries) {
      if (entries.size <= maxRemembered) break;
      if (result) entries.delete(id);
    }
    if (!entry.stop.signal.aborted) send(text);
  }

  function createRun(requestId: string, entry: Entry): ToolRun {
    return {
      requestId,
      signal: entry.stop.signal,
      progress(progress, total, text) {
        // JSON would turn it into null, which breaks the protocol.
        if (!Number.isFinite(progress)) return;
        send(JSON.stringify({ type: "invoke_progress", request_id: requestId, progress, total, message: text }));
      },
      log(level, data) {
        const line = { type: "invoke_log", request_id: requestId, level };
        let text: string;
        try {
          text = JSON.stringify({ ...line, data });
        } catch (error) {
          text = JSON.stringify({
            ...line,
            data: `The log data can't be written as JSON: ${messageOf(error)}`,
          });
        }
        send(text);
      },
      ask(params) {
        const askId = `${entry.asks.size + 1}`;
        const asked = Promise.withResolvers<Readonly<Record<string, unknown>>>();
        // A tool may await it later, or never: without this, a rejection would end the app.
        asked.promise.catch(() => {});
        entry.asks.set(askId, asked);
        entry.stop.signal.addEventListener("abort", () => asked.reject(entry.stop.signal.reason));
        try {
          const form = { requestedSchema: { type: "object", properties: {} }, ...params };
          const question = { type: "invoke_ask", request_id: requestId, ask_id: askId, params: form };
          if (!send(JSON.stringify(question)))
            asked.reject(new Error("The bridge is not connected, so the question can't be asked."));
        } catch (error) {
          asked.reject(error);
        }
        return asked.promise;
      },
    };
  }

  function settleAsk(entry: Entry | undefined, { ask_id: askId, ok, answer, error }: BridgeMessage): void {
    const asked = entry?.asks.get(askId ?? "");
    if (ok === true) asked?.resolve((answer ?? {}) as Readonly<Record<string, unknown>>);
    else asked?.reject(new Error(error ?? "the question was not answered"));
  }
}

function resultJson(content: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(content ?? null);
  } catch (error) {
    throw new Error(`The result can't be written as JSON: ${messageOf(error)}`, { cause: error });
  }
  if (json === undefined) throw new Error(`The result can't be written as JSON: it is a ${typeof content}.`);
  return json;
}

function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "The tool threw a value that can't be converted to text.";
  }
}
