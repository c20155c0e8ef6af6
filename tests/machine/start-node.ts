import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApprovalAnswer } from "../../src/catalog/advice.ts";
import type { ApprovalQuestion } from "../../src/catalog/guard/askers.ts";
import { loadConfig } from "../../src/core/config/load-config.ts";
import { type Home, openHome } from "../../src/core/files/home.ts";
import { createLiveLog, type LogLevel } from "../../src/core/log.ts";
import type { Asker } from "../../src/catalog/guard/askers.ts";
import type { Engine } from "../../src/hub/engine/engine.ts";
import { openHost } from "../../src/hub/hosts.ts";
import type { ToolResult } from "../../src/mcp/messages/tool.ts";

export interface StartedNode extends AsyncDisposable {
  readonly node: { readonly engine: Engine; readonly url: string | undefined; close(): Promise<void> };
  readonly home: Home;
  readonly url: string;
  readonly token: string;
  /** What the node logged. */
  readonly logged: string[];
  /** The questions that the user was asked. */
  readonly questions: ApprovalQuestion[];
  /** The user's next answers. Without one the user gives none. */
  answer(...answers: ApprovalAnswer[]): void;
  /** How the user answers the next question. */
  onQuestion(answer: () => Promise<ApprovalAnswer>): void;
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  rpc(method: string, params?: object): Promise<Answer>;
  call(name: string, args?: object): Promise<ToolResult>;
  /** The text of a call's result. */
  text(name: string, args?: object): Promise<string>;
}

interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface StartNodeOptions {
  /** The `machine` section of the configuration. */
  readonly machine?: object;
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a user can be asked. */
  readonly attended?: boolean;
  /** Written to the state folder before the start, as `exec-approvals.json`. */
  readonly approvals?: object;
  /** What is logged; `info` and above unless given. */
  readonly level?: LogLevel;
}

/** `clawport node` in this process, with a throw-away home. */
export async function startNode(options: StartNodeOptions = {}): Promise<StartedNode> {
  const { machine = {}, config = {}, env = {}, attended = false, approvals, level = "info" } = options;
  const home = await openHome(await mkdtemp(join(tmpdir(), "node-")));
  const path = home.file("clawport.json5");
  await writeFile(path, JSON.stringify({ ...config, machine }));
  const world = { PATH: process.env["PATH"] ?? "", HOME: home.path, ...env };
  const loaded = await loadConfig({ path, env: world });
  if (approvals !== undefined) {
    const { writeFileAtomic } = await import("../../src/core/files/write-file-atomic.ts");
    await writeFileAtomic(home.file("machine", "exec-approvals.json"), JSON.stringify(approvals));
  }
  const logged: string[] = [];
  const questions: ApprovalQuestion[] = [];
  const answers: (ApprovalAnswer | (() => Promise<ApprovalAnswer>))[] = [];
  const user: Asker = {
    id: "user",
    kind: "console",
    available: () => true,
    ask(question) {
      questions.push(question);
      const next = answers.shift();
      return typeof next === "function" ? next() : Promise.resolve(next);
    },
  };
  const place = {
    home,
    configuration: { config: loaded.config, file: { ...loaded, location: "state-folder" as const } },
    env: world,
    homedir: home.path,
    log: createLiveLog({ level, format: "human", write: (line) => logged.push(line) }),
    version: "1.2.3",
    logLevel: level,
    askers: attended ? [user] : [],
  };
  const engine = await openHost("node", place, { port: 0 });
  const node = { engine, url: engine.http && `${engine.http.address}/`, close: () => engine.close() };
  const url = node.url ?? "";
  const token = node.url === undefined ? "" : (await readFile(engine.http!.tokenPath, "utf8")).trim();
  const headers = { "content-type": "application/json", accept: "application/json", authorization: `Bearer ${token}` };

  const started: StartedNode = {
    node,
    home,
    url,
    token,
    logged,
    questions,
    answer: (...more) => void answers.push(...more),
    onQuestion: (answer) => void answers.push(answer),
    post: (body, more = {}) =>
      fetch(url, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) }),
    async rpc(method, params = {}) {
      const response = await started.post({ jsonrpc: "2.0", id: 1, method, params });
      return (await response.json()) as Answer;
    },
    async call(name, args = {}) {
      const { result, error } = await started.rpc("tools/call", { name, arguments: args });
      if (error !== undefined) throw new Error(error.message);
      return result as unknown as ToolResult;
    },
    async text(name, args) {
      const { content } = await started.call(name, args);
      return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
    },
    async [Symbol.asyncDispose]() {
      await node.close();
      await rm(home.path, { recursive: true, force: true });
    },
  };
  return started;
}
