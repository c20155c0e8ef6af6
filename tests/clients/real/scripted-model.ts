import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { listenHere } from "../../support/listen-here.ts";
import { modelDialects, type OfferedTool, sendJson } from "./model-dialects.ts";

/** One call that the model makes. */
export interface Step {
  /** The end of the tool's name, as the hub offers it. */
  readonly tool: string;
  readonly args: object;
  /** Awaited before the model answers with this call. */
  before?(): Promise<void>;
}

/** The model of one client: makes the calls of its script in order, then says that it is done. */
export interface ScriptedModel {
  /** The address of the API, in the client's own dialect. */
  readonly url: string;
  /** Tools that the client offered. */
  readonly tools: ReadonlySet<string>;
  /** All requests so far, as text: what tools returned is in there. */
  heard(): string;
}

export interface ModelServer extends AsyncDisposable {
  /** The model says `last` when the script is over. */
  open(client: string, steps: readonly Step[], last?: string): ScriptedModel;
}

interface Script {
  readonly steps: readonly Step[];
  readonly last: string;
  readonly tools: Set<string>;
  readonly bodies: string[];
  /** How often the model waited for tools that the client did not offer yet. */
  waits: number;
}

/** Claude Code and Codex begin a turn before a slow server is connected; with these tools of theirs a model can wait. */
const pauses = new Map<string, object>([
  ["WaitForMcpServers", {}],
  ["exec_command", { cmd: "sleep 1" }],
]);
const maxWaits = 20;

export const finished = "SCRIPT-FINISHED";

/** A server with one model for each client: no client needs an account or the network. */
export async function startModelServer(): Promise<ModelServer> {
  const scripts = new Map<string, Script>();
  const listening = await listenHere(createServer((request, response) => void serve(request, response)));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, client = "", rest = ""] = /^\/([^/]+)(.*)$/.exec(request.url ?? "") ?? [];
    const script = scripts.get(client);
    const raw = await text(request);
    const dialect = modelDialects.find((each) => each.matches(rest));
    if (rest.includes("count_tokens")) return sendJson(response, { input_tokens: 10 });
    if (rest.includes(":countTokens")) return sendJson(response, { totalTokens: 10 });
    if (/\/models(?:\?|$)/.test(rest)) return sendJson(response, { object: "list", data: [], models: [] });
    if (script === undefined || dialect === undefined)
      return sendJson(response, { error: { message: "unknown" } }, 404);
    const body: unknown = JSON.parse(raw);
    const offered = dialect.tools(body);
    for (const { name } of offered) script.tools.add(name);
    script.bodies.push(raw);
    // Clients also ask their model for titles and the like, without tools.
    const step = offered.length === 0 ? undefined : script.steps[dialect.results(body) - script.waits];
    const tool = step && findTool(offered, step.tool);
    const pause = offered.find(({ name }) => pauses.has(name));
    if (step !== undefined && tool === undefined && pause !== undefined && script.waits < maxWaits) {
      script.waits++;
      await wait(1000);
      return dialect.answer(response, body, { kind: "call", tool: pause, args: pauses.get(pause.name) ?? {} });
    }
    await step?.before?.();
    if (step !== undefined && tool === undefined)
      return dialect.answer(response, body, { kind: "text", text: `NO-TOOL ${step.tool} among ${offered.length}` });
    if (step !== undefined && tool !== undefined)
      return dialect.answer(response, body, { kind: "call", tool, args: step.args });
    dialect.answer(response, body, { kind: "text", text: script.last });
  }

  return {
    open(client, steps, last = finished) {
      const script: Script = { steps, last, tools: new Set(), bodies: [], waits: 0 };
      scripts.set(client, script);
      return { url: `${listening.origin}/${client}`, tools: script.tools, heard: () => script.bodies.join("\n") };
    },
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}

/** Clients put their own prefix before a name, and some replace characters in it. */
function findTool(offered: readonly OfferedTool[], name: string): OfferedTool | undefined {
  const plain = (word: string): string => word.replaceAll(/[-.]/g, "_");
  return offered.find((tool) => plain(tool.name).endsWith(plain(name)));
}
