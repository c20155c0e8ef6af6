import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProxy, type ProxyOptions } from "../../src/cli/open-proxy.ts";
import { parseProxySettings } from "../../src/cli/proxy-settings.ts";
import { defaultConfig } from "../../src/core/config/default-config.ts";
import { openHome } from "../../src/core/home.ts";
import { silentLog } from "../../src/core/log.ts";
import { createMemoryStore } from "../../src/sources/apps/memory-store.ts";

export interface Created {
  readonly mcpSessionId: string;
  readonly bridge_url: string;
  readonly mcp_url: string;
  readonly bridge_token: string;
  readonly mcp_token: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  /** All that was said, the notifications before the answer included. */
  readonly text: string;
}

export interface RunningProxy extends AsyncDisposable {
  readonly address: string;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  create(parts?: object, headers?: Record<string, string>): Promise<Created>;
  /** One JSON-RPC request to a session's own address. */
  rpc(session: Created, method: string, params?: object, headers?: Record<string, string>): Promise<Answer>;
  /** Calls a tool and gives its text, with `!` before it where it is an error. */
  call(session: Created, tool: string, args?: object, meta?: object): Promise<string>;
  metrics(): Promise<string>;
  close(): Promise<void>;
  /** Stops it and starts it again on the same port; what its sessions are kept in stays. */
  restart(): Promise<void>;
}

interface ProxyParts extends Partial<Omit<ProxyOptions, "settings">> {
  readonly env?: Record<string, string>;
}

export const echoTool = {
  name: "echo_text",
  path: "/tools/echo_text",
  description: "Echo text.",
  input_schema: { type: "object", properties: { text: { type: "string" } } },
};

export const registration = {
  device_id: "device-1",
  device_name: "desktop",
  app_version: "1.0.0",
  chat_id: "chat-1",
  tools: [echoTool],
};

/** The whole proxy on a free port, with a home of its own that goes with it. */
export async function startProxy({ env = {}, ...parts }: ProxyParts = {}): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), "proxy-"));
  const store = createMemoryStore();
  const options: ProxyOptions = {
    home: await openHome(join(folder, "state")),
    config: defaultConfig,
    settings: parseProxySettings(env),
    openStore: () => Promise.resolve({ ...store, [Symbol.asyncDispose]: () => Promise.resolve() }),
    allowedHosts: [],
    version: "0.0.0",
    log: silentLog,
    host: "127.0.0.1",
    port: 0,
    requestsPerSecond: 100_000,
    sessionsPerSecond: 100_000,
    ...parts,
  };
  let proxy = await openProxy(options);
  const { address, port } = proxy;
  let next = 0;

  const running: RunningProxy = {
    address,
    async ask(method, path, body, headers = {}) {
      const response = await fetch(new URL(path, address), {
        method,
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          accept: "application/json, text/event-stream",
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson ? JSON.parse(text) : (lastEvent(text) ?? text),
      };
    },
    async create(more = {}, headers = bearer(env["OPENCLAW_PROXY_APP_TOKEN"])) {
      const { status, body } = await running.ask("POST", "/v1/chat/sessions", { ...registration, ...more }, headers);
      if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
      return body as Created;
    },
    rpc: (session, method, params = {}, headers = bearer(env["OPENCLAW_PROXY_OPENCLAW_TOKEN"])) =>
      running.ask("POST", session.mcp_url, { jsonrpc: "2.0", id: ++next, method, params }, headers),
    async call(session, tool, args = {}, meta = {}) {
      const { body } = await running.rpc(session, "tools/call", { name: tool, arguments: args, _meta: meta });
      if (body.error) return `!! ${body.error.message}`;
      return `${body.result.isError ? "!" : ""}${body.result.content.map(({ text }: { text: string }) => text).join("\n")}`;
    },
    metrics: async () =>
      String((await running.ask("GET", "/metrics", undefined, bearer(env["OPENCLAW_PROXY_APP_TOKEN"]))).body),
    close: () => proxy.close(),
    async restart() {
      await proxy.close();
      proxy = await openProxy({ ...options, port });
    },
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return running;
}

export function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** An answer that took long comes as an event stream; its last event is the answer. */
function lastEvent(text: string): unknown {
  const data = text.match(/^data: (\{.*)$/gm)?.at(-1);
  return data === undefined ? undefined : JSON.parse(data.slice("data: ".length));
}
