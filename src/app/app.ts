import { type AppTool, describeTool } from "./app-tool.ts";
import { type BridgeLink, openBridgeLink } from "./bridge-link.ts";
import { type BridgeMessage, createToolRuns } from "./tool-runs.ts";

export interface AppOptions {
  /** Where the proxy is: `http://127.0.0.1:8000`. */
  readonly proxyUrl: string;
  /** The proxy's app token, where it has one. */
  readonly appToken?: string;
  readonly deviceId?: string;
  readonly deviceName?: string;
  readonly appVersion?: string;
  readonly chatId?: string;
  readonly ttlSeconds?: number;
  /** Only this session's own tokens open it, not those all apps share. */
  readonly ownTokensOnly?: boolean;
  /** How often the line to the proxy has to show that it lives; a dead one is left after three. 15 unless given. */
  readonly heartbeatSeconds?: number;
  readonly tools: readonly AppTool[];
  /** Called with the first session, and with every new one where the proxy has forgotten the last. */
  onSession?(session: AppSession): void;
  /** Called when the bridge comes and when it goes. */
  onConnected?(isConnected: boolean): void;
  /** The app is no longer reachable and does not try any more. */
  onEnd?(reason: Error): void;
}

/** Where clients find the app. */
export interface AppSession {
  readonly id: string;
  readonly mcpUrl: string;
  /** Opens this session alone. */
  readonly mcpToken: string;
}

/** A running app whose tools can be called. */
export interface App {
  readonly session: AppSession;
  readonly isConnected: boolean;
  setTools(tools: readonly AppTool[]): Promise<void>;
  /** Deletes the session; tools that run are told to stop. */
  close(): Promise<void>;
}

interface OpenSession extends AppSession {
  readonly bridgeUrl: string;
  readonly bridgeToken: string;
}

/** Registers the tools with a proxy and keeps them callable until closed. For Node and browsers. */
export async function openApp(options: AppOptions): Promise<App> {
  const { heartbeatSeconds = 15 } = options;
  if (!(heartbeatSeconds > 0 && heartbeatSeconds <= 3600)) {
    throw new RangeError(`heartbeatSeconds has to be more than 0 and at most 3600, not ${heartbeatSeconds}.`);
  }
  const sessionsUrl = `${options.proxyUrl.replace(/\/+$/, "")}/v1/chat/sessions`;
  let tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  let link: BridgeLink | undefined;
  let isConnected = false;
  let isClosed = false;
  /** Milliseconds before the next new session: a proxy that takes sessions, and then knows nothing of them, gets few. */
  let patience = 0;
  const runs = createToolRuns({ tools: () => tools, send: (message) => link?.send(message) ?? false });
  let session = await register();
  connect();

  return {
    get session() {
      return { id: session.id, mcpUrl: session.mcpUrl, mcpToken: session.mcpToken };
    },
    get isConnected() {
      return isConnected;
    },
    async setTools(next) {
      const definitions = next.map(describeTool);
      await ask("PATCH", `${sessionsUrl}/${session.id}`, session.bridgeToken, { tools: definitions });
      tools = new Map(next.map((tool) => [tool.name, tool]));
    },
    async close() {
      isClosed = true;
      link?.close();
      runs.stop();
      await remove();
    },
  };

  async function remove(): Promise<void> {
    await ask("DELETE", `${sessionsUrl}/${session.id}`, session.bridgeToken).catch(() => {});
  }

  async function register(): Promise<OpenSession> {
    const made = await ask("POST", sessionsUrl, options.appToken, {
      device_id: options.deviceId,
      device_name: options.deviceName,
      app_version: options.appVersion,
      chat_id: options.chatId,
      ttl_seconds: options.ttlSeconds,
      own_tokens_only: options.ownTokensOnly,
      tools: Array.from(tools.values(), describeTool),
    });
    return {
      id: made.mcpSessionId ?? "",
      mcpUrl: made.mcp_url ?? "",
      mcpToken: made.mcp_token ?? "",
      bridgeUrl: made.bridge_url ?? "",
      bridgeToken: made.bridge_token ?? "",
    };
  }

  function connect(): void {
    const { id, mcpUrl, mcpToken, bridgeUrl, bridgeToken } = session;
    options.onSession?.({ id, mcpUrl, mcpToken });
    link = openBridgeLink({
      url: bridgeUrl,
      token: bridgeToken,
      heartbeatMs: heartbeatSeconds * 1000,
      onMessage: receive,
      onConnected(connected) {
        // The link says so of every try that fails.
        if (connected === isConnected) return;
        isConnected = connected;
        if (!connected) runs.lost();
        options.onConnected?.(connected);
      },
      onOver(why) {
        if (why === "session over") void renew();
        else options.onEnd?.(new Error("Another app took the bridge."));
      },
    });
  }

  function receive(text: string): void {
    patience = 0;
    const message = parseBridgeMessage(text);
    if (message?.type === "ping") link?.send(JSON.stringify({ type: "pong", mcpSessionId: session.id }));
    else if (message) runs.take(message);
  }

  /** The proxy has forgotten the session: the tools go into a new one. */
  async function renew(): Promise<void> {
    while (!isClosed) {
      await new Promise((resolve) => setTimeout(resolve, patience));
      patience = Math.min(Math.max(patience * 2, 500), 30_000);
      try {
        session = await register();
        return isClosed ? await remove() : connect();
      } catch (error) {
        if (error instanceof Error && error.cause === 401) return options.onEnd?.(error);
      }
    }
  }
}

/** What stands between may put in what is no message; thrown in the socket's listener, it would end the app. */
function parseBridgeMessage(text: string): BridgeMessage | undefined {
  try {
    return (JSON.parse(text) as BridgeMessage | null) ?? undefined;
  } catch {
    return undefined;
  }
}

async function ask(
  method: string,
  url: string,
  token: string | undefined,
  body?: object,
): Promise<Readonly<Record<string, string>>> {
  const answered = fetch(url, {
    method,
    // It may have gone over a kept connection that is dead by now.
    signal: AbortSignal.timeout(30_000),
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await answered.catch((cause: unknown) => {
    const place = url.replace(/\/v1\/chat\/sessions.*$/, "");
    throw new Error(`No proxy answers at ${place} (${reasonOf(cause)}). Start it with: clawport proxy`, { cause });
  });
  // What stands before the proxy may answer in its place, and not in JSON.
  const answer = (await response.json().catch(() => ({}))) as Readonly<Record<string, string>>;
  const { ok, status: cause } = response;
  if (!ok) throw new Error(`The proxy refused (${cause}): ${answer.detail ?? "it did not say why"}`, { cause });
  return answer;
}

/** Node's fetch hides the reason in the cause; browsers tell none. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string } };
  return cause?.code ?? message ?? String(error);
}
