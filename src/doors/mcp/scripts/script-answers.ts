import type { CallContext } from "../../../catalog/call-context.ts";
import { isRecord } from "../../../core/is-record.ts";
import { countText } from "../../../core/text/count-text.ts";
import { quoted } from "../../../core/text/peer-text.ts";
import { settledWithin } from "../../../core/wait.ts";
import { errorResult, textBlock, textResult, type ToolResult } from "../../../mcp/messages/tool.ts";
import type { ScriptEnd } from "../../../scripts/run-script.ts";
import type { Scripts, StartedScript } from "../../../scripts/scripts.ts";
import type { ScriptReach } from "../../../scripts/script-tools.ts";

export interface ScriptAnswers {
  run(args: unknown, context: CallContext): Promise<ToolResult>;
  result(args: unknown, context: CallContext): Promise<ToolResult>;
}

export interface ScriptAnswersOptions {
  readonly scripts: Scripts;
  readonly reach: ScriptReach;
  ownerOf(context: CallContext): string;
  /** A correct call, with a tool that this caller has searched for if it has. */
  exampleFor(context: CallContext): string;
}

/** In `_meta`: the id of a script that is still running, for programs. */
export const scriptMeta = "clawport/script";

/** Most clients give up after 60 s; one that gets a task waits as long as it likes. */
const patienceMs = 45_000;

/** What `run_script` and `script_result` answer. */
export function createScriptAnswers({ scripts, reach, ownerOf, exampleFor }: ScriptAnswersOptions): ScriptAnswers {
  return {
    async run(args, context) {
      const { code, input, timeoutMs } = args as { code: string; input?: unknown; timeoutMs?: number };
      const { caller } = context;
      const script = scripts.start({ code, input, timeoutMs, owner: ownerOf(context), caller, reach });
      return follow(script, context, true);
    },
    async result(args, context) {
      const id = isRecord(args) ? args.id : undefined;
      const owner = ownerOf(context);
      if (typeof id !== "string") return textResult(listText(scripts.list(owner)));
      const script = scripts.find(id, owner);
      if (script === undefined)
        return errorResult(`You have no script ${quoted(id, 60)}. Call script_result without an id to see yours.`);
      return follow(script, context, false);
    },
  };

  /** Waits for the end of a script, as its client. Whoever started it ends it by going away. */
  async function follow(script: StartedScript, context: CallContext, isStarter: boolean): Promise<ToolResult> {
    const leave = script.attach(context);
    const stop = () => script.stop("The client cancelled the script.");
    if (isStarter) context.signal.addEventListener("abort", stop, { once: true });
    try {
      do await Promise.race([settledWithin(script.done, patienceMs), aborted(context.signal)]);
      while (script.end === undefined && !context.signal.aborted && (context.isTask === true || script.isAsking));
      if (script.end === undefined && isStarter && context.signal.aborted) await script.done;
      return script.end === undefined
        ? { ...textResult(runningText(script)), _meta: { [scriptMeta]: script.id } }
        : endResult(script.end, exampleFor(context));
    } finally {
      leave();
      context.signal.removeEventListener("abort", stop);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function endResult(end: ScriptEnd, example: string): ToolResult {
  const log = end.log.length === 0 ? [] : [textBlock(`[console]\n${end.log.join("\n")}`)];
  if (end.kind === "returned") {
    const text = end.isUndefined
      ? "The script returned nothing. Use `return` for what you want to see."
      : typeof end.value === "string"
        ? end.value
        : JSON.stringify(end.value);
    return { content: [textBlock(text), ...log] };
  }
  const where = end.line === undefined ? "" : ` at line ${end.line}`;
  const after = end.calls === 0 ? "" : ` It had made ${countText(end.calls, "call")}.`;
  const text =
    end.reason === "syntax"
      ? `This is not JavaScript or TypeScript: ${end.message}. run_script takes the body of an async function, not shell commands or prose. For example:\n${example}`
      : `The script failed${where}: ${end.message}${after}`;
  return { content: [textBlock(text), ...log], isError: true };
}

function runningText({ id, lastProgress }: StartedScript): string {
  const far = lastProgress === undefined ? "" : ` It said: ${quoted(lastProgress, 200)}.`;
  return `The script ${id} is still running.${far} Call script_result {"id": "${id}"} for its result.`;
}

function listText(scripts: readonly StartedScript[]): string {
  if (scripts.length === 0) return "You have no scripts.";
  const line = ({ id, end, startedAt, lastProgress }: StartedScript) => {
    const state = end === undefined ? `running${lastProgress === undefined ? "" : `: ${lastProgress}`}` : end.kind;
    return `${id} ${new Date(startedAt).toISOString()} ${state}`;
  };
  return scripts.map(line).join("\n");
}
