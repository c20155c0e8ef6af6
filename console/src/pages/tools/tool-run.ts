import { type ReadonlySignal, signal } from "@preact/signals";
import { type Fault, toFault } from "../../../../src/core/fault.ts";
import type { ToolResult } from "../../../../src/mcp/messages/tool.ts";
import { spoken } from "../../hub/act.ts";
import { type CallProgress, type CallQuestion, callTool } from "../../hub/call-tool.ts";

export type RunState =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly since: number; readonly progress?: CallProgress }
  | { readonly kind: "done"; readonly result: ToolResult; readonly ms: number }
  | { readonly kind: "failed"; readonly fault: Fault; readonly ms: number };

/** One tool being called, again and again. */
export interface ToolRun {
  readonly state: ReadonlySignal<RunState>;
  /** What the server logged during the call; the last lines. */
  readonly log: ReadonlySignal<readonly string[]>;
  /** What the server asked, and no one has answered yet. */
  readonly questions: ReadonlySignal<readonly CallQuestion[]>;
  start(args: Readonly<Record<string, unknown>>): Promise<void>;
  cancel(): void;
  answered(id: string): void;
}

const keptLines = 50;

export function createToolRun(tool: string): ToolRun {
  const state = signal<RunState>({ kind: "idle" });
  const log = signal<readonly string[]>([]);
  const questions = signal<readonly CallQuestion[]>([]);
  let stop: AbortController | undefined;

  return {
    state,
    log,
    questions,
    async start(args) {
      if (state.value.kind === "running") return;
      const mine = new AbortController();
      stop = mine;
      const since = Date.now();
      state.value = { kind: "running", since };
      log.value = [];
      questions.value = [];
      try {
        const result = await callTool(tool, args, mine.signal, {
          onProgress: (progress) => (state.value = { kind: "running", since, progress }),
          onLog: (text) => (log.value = [...log.value.slice(1 - keptLines), text]),
          onQuestion: (question) => (questions.value = [...questions.value, question]),
        });
        state.value = { kind: "done", result, ms: Date.now() - since };
        spoken.value = result.isError === true ? `${tool} reported an error.` : `${tool} is done.`;
      } catch (error) {
        state.value = { kind: "failed", fault: toFault(error), ms: Date.now() - since };
        spoken.value = `${tool} failed.`;
      } finally {
        questions.value = [];
      }
    },
    cancel: () => stop?.abort(),
    answered: (id) => (questions.value = questions.value.filter((each) => each.id !== id)),
  };
}
