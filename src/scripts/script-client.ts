import type { CallContext } from "../catalog/call-context.ts";
import type { Caller } from "../catalog/caller.ts";
import { Fault } from "../core/fault.ts";
import type { Log } from "../core/log.ts";
import type { Answer } from "../mcp/messages/interim-messages.ts";
import type { CallOfScript, ScriptClient } from "./script-tools.ts";

/** The client of a script, which may leave before the script ends, and come back for its result. */
export interface AttachedClient extends ScriptClient {
  /** From now on questions and progress go there, until the returned function is called. */
  attach(context: CallContext): () => void;
  /** Whether a question to the client is open: its request must not end now. */
  readonly isAsking: boolean;
  /** What the script said last about how far it is. */
  readonly lastProgress: string | undefined;
}

export interface ScriptIdentity {
  readonly id: string;
  readonly code: string;
  readonly caller: Caller;
  readonly log: Log;
}

/** Every call of a script has the caller of the script, and reaches its client the way a call of its own would. */
export function createScriptClient({ id, code, caller, log }: ScriptIdentity): AttachedClient {
  let current: CallContext | undefined;
  let asking = 0;
  let lastProgress: string | undefined;
  let steps = 0;

  const client: AttachedClient = {
    attach(context) {
      current = context;
      return () => {
        if (current === context) current = undefined;
      };
    },
    get isAsking() {
      return asking > 0;
    },
    get lastProgress() {
      return lastProgress;
    },
    progress(text, part) {
      lastProgress = text?.slice(0, maxProgressLength).toWellFormed() ?? lastProgress;
      // Progress must grow, whatever parts a script names.
      const message =
        part === undefined || lastProgress === undefined ? lastProgress : `${lastProgress} (${percent(part)})`;
      current?.progress({ progress: ++steps, ...(message !== undefined && { message }) });
    },
    contextFor: (call) => contextOf(call),
  };
  return client;

  function contextOf({ id: number, line, signal }: CallOfScript): CallContext {
    const span = current?.span;
    const base: CallContext = {
      caller: { ...caller, script: { id, around: sourceAround(code, line) } },
      client: current?.client,
      signal,
      log,
      logLevel: current?.logLevel,
      era: current?.era,
      traceparent: current?.traceparent,
      tracestate: current?.tracestate,
      baggage: current?.baggage,
      span,
      progress: ({ message }) => message !== undefined && client.progress(message, undefined),
      tell: (line) => current?.tell(line),
      ask: (question, key) => ask(question, key === undefined ? undefined : `${number}.${key}`),
      detach: (message) => current?.detach?.(message) ?? false,
      elicitationComplete: (elicitation) => current?.elicitationComplete?.(elicitation),
    };
    return span === undefined
      ? base
      : { ...base, withSpan: (inner) => ({ ...base, span: inner, traceparent: inner.traceparent }) };
  }

  async function ask(...question: Parameters<CallContext["ask"]>): Promise<Answer> {
    if (current === undefined)
      throw new Fault("missing-capability", "No client waits for this script now, so no one can be asked.");
    asking++;
    try {
      return await current.ask(...question);
    } finally {
      asking--;
    }
  }
}

const maxProgressLength = 500;

const percent = (part: number): string => `${Math.round(Math.min(Math.max(part, 0), 1) * 100)} %`;

const linesAround = 4;
const maxLineLength = 200;

/** The source around a line, with numbers; its beginning if the line is unknown. */
export function sourceAround(code: string, line: number | undefined): string {
  const lines = code.split("\n");
  const at = line === undefined ? 1 : Math.min(Math.max(line, 1), lines.length);
  const first = Math.max(1, at - linesAround);
  return lines
    .slice(first - 1, at + linesAround)
    .map((text, index) => `${first + index === line ? ">" : " "} ${first + index}  ${text.slice(0, maxLineLength)}`)
    .join("\n");
}
