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
  /** The whole body, including notifications before the response. */
  readonly text: string;
}

/** A client of a proxy, in this process or another. */
export interface ProxyClient {
  readonly address: string;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  create(parts?: object, headers?: Record<string, string>): Promise<Created>;
  /** One JSON-RPC request to a session's own address. */
  rpc(session: Created, method: string, params?: object, headers?: Record<string, string>): Promise<Answer>;
  /** Calls a tool and returns its text, with `!` before an error result and `!!` before an RPC error. */
  call(session: Created, tool: string, args?: object, meta?: object): Promise<string>;
  metrics(): Promise<string>;
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

/** Uses the tokens of this environment, if there are any. */
export function createProxyClient(address: string, env: Readonly<Record<string, string>> = {}): ProxyClient {
  let next = 0;
  const client: ProxyClient = {
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
      const { status, body } = await client.ask("POST", "/v1/chat/sessions", { ...registration, ...more }, headers);
      if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
      return body as Created;
    },
    rpc: (session, method, params = {}, headers = bearer(env["OPENCLAW_PROXY_OPENCLAW_TOKEN"])) =>
      client.ask("POST", session.mcp_url, { jsonrpc: "2.0", id: ++next, method, params }, headers),
    async call(session, tool, args = {}, meta = {}) {
      const { body } = await client.rpc(session, "tools/call", { name: tool, arguments: args, _meta: meta });
      if (body.error) return `!! ${body.error.message}`;
      return `${body.result.isError ? "!" : ""}${body.result.content.map(({ text }: { text: string }) => text).join("\n")}`;
    },
    metrics: async () => {
      const token = env["OPENCLAW_PROXY_OPERATOR_TOKEN"] ?? env["OPENCLAW_PROXY_APP_TOKEN"];
      return String((await client.ask("GET", "/metrics", undefined, bearer(token))).body);
    },
  };
  return client;
}

export function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** A slow response comes as an event stream; its last event is the response itself. */
function lastEvent(text: string): unknown {
  const data = text.match(/^data: (\{.*)$/gm)?.at(-1);
  return data === undefined ? undefined : JSON.parse(data.slice("data: ".length));
}
