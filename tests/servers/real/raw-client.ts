import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { ExactJson } from "../../../src/core/exact-number.ts";
import { readEvents } from "../../support/mcp/events.ts";
import type { Wire } from "../../support/mcp/messages.ts";

/** A client that leaves the answers as they came: the official ones sort, complete and check them. */
export interface RawClient extends AsyncDisposable {
  /** The answer without its envelope: the `result`, or `{ error }`. Every number is as the server wrote it. */
  ask(method: string, params?: object): Promise<Answer>;
}

/** An answer is compared as text, so nothing is known of it. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = any;

/** What the hub tells a server of its clients, so that both ways offer the same. */
const capabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};
const initializeParams = {
  protocolVersion: "2025-11-25",
  capabilities,
  clientInfo: { name: "compare", version: "1" },
};

export interface StdioProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly roots: readonly { uri: string; name: string }[];
}

/** Starts a server itself. `ask` rejects with its last words if it ends. */
export function startDirectly({ command, args, env, cwd, roots }: StdioProgram): RawClient {
  const child = spawn(command, args, { env, cwd });
  const waiting = new Map<string, (answer: Answer) => void>();
  let [id, errors] = [0, ""];
  child.stderr.on("data", (chunk) => (errors = (errors + chunk).slice(-2000)));
  child.stdin.on("error", () => undefined);
  const ended = once(child, "close");
  const failed = ended.then(([code]) => Promise.reject(new Error(`ended with ${code}: ${errors.trim()}`)));
  failed.catch(() => undefined);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = parseExactly(line);
    if (message === undefined) return;
    if (message.method === undefined) waiting.get(JSON.stringify(message.id))?.(contentOf(message));
    else if (message.id !== undefined) send({ id: message.id, ...replyTo(message.method, roots) });
  });

  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return {
    ask(method, params) {
      const answered = new Promise((resolve) => waiting.set(String(++id), resolve));
      send({ id, method, params });
      if (method !== "initialize") return Promise.race([answered, failed]);
      return Promise.race([answered, failed]).then((answer) => {
        send({ method: "notifications/initialized" });
        return answer as Answer;
      });
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** A client of the 2025-11-25 revision at an address of the hub. */
export function reachHub(url: string, token: string): RawClient {
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  let id = 0;
  const post = (message: object) =>
    fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  return {
    async ask(method, params) {
      const response = await post({ id: ++id, method, params });
      const texts = (response.headers.get("content-type") ?? "").includes("event-stream")
        ? (await readEvents(response.body!).rest()).map(({ data = "" }) => data)
        : [await response.text()];
      const answer = texts
        .map(parseExactly)
        .find((message) => message?.method === undefined && message?.id !== undefined);
      if (answer === undefined) throw new Error(`${response.status}: ${texts.join("\n").slice(0, 300)}`);
      if (method === "initialize") {
        headers["mcp-session-id"] = response.headers.get("mcp-session-id") ?? "";
        headers["mcp-protocol-version"] = String(answer.result.protocolVersion);
        await (await post({ method: "notifications/initialized" })).text();
      }
      return contentOf(answer);
    },
    async [Symbol.asyncDispose]() {
      await (await fetch(url, { method: "DELETE", headers })).text();
    },
  };
}

/** The handshake; resolves to the instructions of the server. */
export async function initialize(client: RawClient): Promise<Answer> {
  return (await client.ask("initialize", initializeParams)).instructions;
}

function replyTo(method: string, roots: StdioProgram["roots"]): object {
  if (method === "roots/list") return { result: { roots } };
  return method === "ping" ? { result: {} } : { error: { code: -32601, message: "no such method" } };
}

const json = JSON as unknown as ExactJson;

/** Undefined if the line is no message: some servers print to stdout. */
function parseExactly(text: string): Wire | undefined {
  try {
    const keep = (_: string, value: unknown, { source }: { source?: string }): unknown =>
      typeof value === "number" ? json.rawJSON(source!) : value;
    return json.parse(text, keep) as Wire;
  } catch {
    return undefined;
  }
}

function contentOf({ result, error }: Wire): Answer {
  return error === undefined ? result : { error };
}
