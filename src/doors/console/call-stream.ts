import type { ServerResponse } from "node:http";
import type { CallContext } from "../../catalog/call-context.ts";
import type { CatalogTool } from "../../catalog/source.ts";
import { Fault, toFault } from "../../core/fault.ts";
import { prepareToSend } from "../../core/http/turn-end.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Log } from "../../core/log.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { cannotAsk, type ClientFacts, missingCapability } from "../../mcp/messages/client-facts.ts";
import type { Answer, Question } from "../../mcp/messages/interim-messages.ts";
import type { ToolResult } from "../../mcp/messages/tool.ts";
import { createSchemaChecker } from "../../mcp/schema/schema-checker.ts";
import type { ConsoleSession } from "./console-sessions.ts";
import type { ResultMedia } from "./result-media.ts";
import { commonHeaders } from "./serve-page.ts";
import { createSecret } from "./sign-in-link.ts";

/** The part of the hub that calls tools. */
export interface CallTarget {
  find(name: string): CatalogTool | undefined;
  call(tool: CatalogTool, args: unknown, context: CallContext): Promise<ToolResult>;
}

export interface ConsoleCalls {
  /** Runs a tool and streams lines of JSON: progress, log, question, and at the end the result or the error. */
  run(body: unknown, session: ConsoleSession, response: ServerResponse): Promise<void>;
  /** Answers a question that a running call asked. */
  answer(body: unknown, session: ConsoleSession): void;
  /** Cancels what runs. */
  close(): void;
}

export interface ConsoleCallsOptions {
  readonly target: CallTarget;
  readonly media: ResultMedia;
  isValid(session: ConsoleSession): boolean;
  readonly log: Log;
}

const maxCalls = 16;
const checkMs = 500;
const maxWaitingBytes = 16 * 1024 * 1024;
/** What the page can show its user. */
const pageFacts: ClientFacts = {
  name: "console",
  capabilities: { elicitation: { form: {}, url: {} } },
};

export function createConsoleCalls({ target, media, isValid, log }: ConsoleCallsOptions): ConsoleCalls {
  const running = new Map<AbortController, string>();
  const questions = new Map<string, { readonly session: string; answer(answer: Answer): void }>();
  const checker = createSchemaChecker();

  async function check(body: unknown): Promise<{ readonly tool: CatalogTool; readonly args: unknown }> {
    const { tool: name, arguments: args = {} } = isRecord(body) ? body : {};
    if (typeof name !== "string" || !isRecord(args))
      throw new Fault("bad-params", '"tool" must be a string and "arguments" an object.');
    const tool = target.find(name);
    if (tool === undefined)
      throw new Fault("not-found", `There is no tool ${quoted(name, 100)}. List the tools again.`);
    const verdict = tool.source.judgesArguments ? undefined : await checker.check(tool.tool.inputSchema, args);
    if (verdict?.ok === false) throw new Fault("bad-params", `Wrong arguments for ${tool.name}: ${verdict.message}`);
    return { tool, args };
  }

  return {
    async run(body, session, response) {
      const { tool, args } = await check(body);
      if ([...running.values()].filter((id) => id === session.id).length >= maxCalls)
        throw new Fault("busy", `${maxCalls} calls of this session are running. Wait for one, or cancel it.`);
      const stop = new AbortController();
      running.set(stop, session.id);
      const asked = new Set<string>();
      // A session that has ended gets nothing more, and what it began is stopped.
      const endIfInvalid = (): void => void (isValid(session) || response.destroy());
      const checks = setInterval(endIfInvalid, checkMs).unref();
      response.on("close", () => stop.abort(new Fault("cancelled", "The call was cancelled.")));
      response.writeHead(200, {
        ...commonHeaders,
        "content-type": "application/x-ndjson; charset=utf-8",
        "cache-control": "no-store",
      });
      // The page shows at once that the call runs, however long its first sign of life takes.
      response.flushHeaders();
      const send = (line: object): void => {
        if (response.destroyed) return;
        if (response.writableLength > maxWaitingBytes) response.destroy();
        else response.write(`${JSON.stringify(line)}\n`);
      };
      const context: CallContext = {
        caller: { door: "console", client: "console" },
        client: pageFacts,
        signal: stop.signal,
        log,
        logLevel: "info",
        progress: (progress) => send({ type: "progress", ...progress }),
        tell: (line) => send({ type: "log", ...line }),
        ask: (question) => ask(question, stop.signal),
      };
      const ask = async (question: Question, signal: AbortSignal): Promise<Answer> => {
        if (missingCapability(pageFacts, question) !== undefined)
          throw cannotAsk(question, "The console can't answer this question.");
        const id = createSecret();
        asked.add(id);
        return new Promise<Answer>((resolve, reject) => {
          questions.set(id, { session: session.id, answer: resolve });
          signal.addEventListener("abort", () => reject(toFault(signal.reason)), { once: true });
          send({ type: "question", id, ...question });
        }).finally(() => questions.delete(id));
      };
      try {
        const result = await target.call(tool, args, context);
        endIfInvalid();
        send({ type: "result", result: media.keep(result, session) });
      } catch (error) {
        const { code, message } = toFault(error);
        send({ type: "error", error: { code, message } });
      } finally {
        running.delete(stop);
        clearInterval(checks);
        for (const id of asked) questions.delete(id);
        prepareToSend();
        response.end();
      }
    },
    answer(body, session) {
      const { id, answer } = isRecord(body) ? body : {};
      const found = typeof id === "string" ? questions.get(id) : undefined;
      if (found === undefined || found.session !== session.id)
        throw new Fault("not-found", "This question no longer waits for an answer.");
      if (!isRecord(answer) || !["accept", "decline", "cancel"].includes(String(answer["action"])))
        throw new Fault("bad-params", '"answer" must have an action: accept, decline or cancel.');
      found.answer(answer);
    },
    close() {
      for (const stop of running.keys()) stop.abort(new Fault("cancelled", "The hub is stopping."));
    },
  };
}
