import { type AppTool, describeAppTool } from "./app-tool.ts";
import { type BridgeLink, openBridgeLink } from "./bridge-link.ts";
import { type BridgeMessage, createToolRuns } from "./tool-runs.ts";

export interface AppOptions {
  /** The address of the proxy: `http://127.0.0.1:8000`. */
  readonly proxyUrl: string;
  /** The proxy's app token, if it has one. */
  readonly appToken?: string;
  readonly deviceId?: string;
  readonly deviceName?: string;
  readonly appVersion?: string;
  readonly chatId?: string;
  readonly ttlSeconds?: number;
  /** Whether only the session's own tokens open it, not the shared ones. */
  readonly ownTokensOnly?: boolean;
  /** The app reconnects if nothing arrives for three of these intervals. 15 by default. */
  readonly heartbeatSeconds?: number;
  readonly tools: readonly AppTool[];
  /** Called with the first session, and with each new one that replaces a lost session. */
  onSession?(session: AppSession): void;
  /** Called when the bridge connects and when it disconnects. */
  onConnected?(isConnected: boolean): void;
  /** Called when the app is disconnected and will not try again. */
  onEnd?(reason: Error): void;
}

/** How clients reach the app. */
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
  /** Deletes the session and aborts the `signal` of tools that still run. */
  close(): Promise<void>;
}

const maxRegisterMs = 60_000;

interface OpenSession extends AppSession {
  readonly bridgeUrl: string;
  readonly bridgeToken: string;
}

/** Registers the tools with a proxy and keeps them callable until closed. For Node and browsers. */
export async function openApp(options: AppOptions): Promise<App> {
  const { heartbeatSeconds = 15 } = options;
  if (!(heartbeatSeconds > 0 && heartbeatSeconds <= 3600)) {
    throw new RangeError(`heartbeatSeconds must be more than 0 and at most 3600, not ${heartbeatSeconds}.`);
  }
  // First of all: without one, the proxy would list tools that no one can call.
  const socketClass = await findWebSocket();
  const sessionsUrl = `${options.proxyUrl.replace(/\/+$/, "")}/v1/chat/sessions`;
  let tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  let link: BridgeLink | undefined;
  let isConnected = false;
  let isClosed = false;
  /** Grows while each new session is lost at once, so that a proxy that keeps losing them gets few requests. */
  let renewDelayMs = 0;
  const runs = createToolRuns({ tools: () => tools, send: (message) => link?.send(message) ?? false });
  let session = await registerSoon();
  connect();

  return {
    get session() {
      return { id: session.id, mcpUrl: session.mcpUrl, mcpToken: session.mcpToken };
    },
    get isConnected() {
      return isConnected;
    },
    async setTools(next) {
      const definitions = next.map(describeAppTool);
      await requestJson("PATCH", `${sessionsUrl}/${session.id}`, session.bridgeToken, { tools: definitions });
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
    await requestJson("DELETE", `${sessionsUrl}/${session.id}`, session.bridgeToken).catch(() => {});
  }

  async function register(): Promise<OpenSession> {
    const made = await requestJson("POST", sessionsUrl, options.appToken, {
      device_id: options.deviceId,
      device_name: options.deviceName,
      app_version: options.appVersion,
      chat_id: options.chatId,
      ttl_seconds: options.ttlSeconds,
      own_tokens_only: options.ownTokensOnly,
      tools: Array.from(tools.values(), describeAppTool),
    });
    return {
      id: made.mcpSessionId ?? "",
      mcpUrl: made.mcp_url ?? "",
      mcpToken: made.mcp_token ?? "",
      bridgeUrl: made.bridge_url ?? "",
      bridgeToken: made.bridge_token ?? "",
    };
  }

  /** A proxy that is stopping, or can't store sessions right now, says so: that passes, unlike a wrong token or address. */
  async function registerSoon(): Promise<OpenSession> {
    const deadline = Date.now() + maxRegisterMs;
    for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, 5000)) {
      try {
        return await register();
      } catch (error) {
        const isPassing = error instanceof Error && (error.cause === 503 || error.cause === 429);
        if (!isPassing || Date.now() + waitMs > deadline) throw error;
        // Apps that were refused together must not all come back at the same moment.
        await new Promise((resolve) => setTimeout(resolve, waitMs / 2 + (Math.random() * waitMs) / 2));
      }
    }
  }

  function connect(): void {
    const { id, mcpUrl, mcpToken, bridgeUrl, bridgeToken } = session;
    options.onSession?.({ id, mcpUrl, mcpToken });
    link = openBridgeLink({
      url: bridgeUrl,
      token: bridgeToken,
      heartbeatMs: heartbeatSeconds * 1000,
      socketClass,
      onMessage: receive,
      onConnected(connected) {
        // The link reports every failed attempt.
        if (connected === isConnected) return;
        isConnected = connected;
        if (!connected) runs.lost();
        options.onConnected?.(connected);
      },
      onOver(why) {
        if (why === "session over") void renew();
        else options.onEnd?.(new Error("Another app took over the bridge."));
      },
    });
  }

  function receive(text: string): void {
    renewDelayMs = 0;
    const message = parseBridgeMessage(text);
    if (message?.type === "ping") link?.send(JSON.stringify({ type: "pong", mcpSessionId: session.id }));
    else if (message) runs.take(message);
  }

  /** Opens a new session after the proxy has lost the old one. */
  async function renew(): Promise<void> {
    while (!isClosed) {
      await new Promise((resolve) => setTimeout(resolve, renewDelayMs));
      renewDelayMs = Math.min(Math.max(renewDelayMs * 2, 500), 30_000);
      try {
        session = await register();
        return isClosed ? await remove() : connect();
      } catch (error) {
        if (error instanceof Error && error.cause === 401) return options.onEnd?.(error);
      }
    }
  }
}

/** undefined if it is not a message, which a server in between may send. An error in the socket's listener would end the app. */
function parseBridgeMessage(text: string): BridgeMessage | undefined {
  try {
    return (JSON.parse(text) as BridgeMessage | null) ?? undefined;
  } catch {
    return undefined;
  }
}

async function requestJson(
  method: string,
  url: string,
  token: string | undefined,
  body?: object,
): Promise<Readonly<Record<string, string>>> {
  const fetched = fetch(url, {
    method,
    // The request may go out over a kept connection that is already dead.
    signal: AbortSignal.timeout(30_000),
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await fetched.catch(async (cause: unknown) => {
    const address = url.replace(/\/v1\/chat\/sessions.*$/, "");
    const refused = await refusedOrigin(address);
    throw new Error(
      refused === undefined
        ? `No proxy answers at ${address} (${reasonOf(cause)}). Start one with \`clawport proxy\`.`
        : `The proxy at ${address} allows no page of ${refused}. Start it with \`clawport proxy --allow-origin ${refused}\`.`,
      { cause },
    );
  });
  // A server in front of the proxy may answer in its place, and not in JSON.
  const answer = (await response.json().catch(() => ({}))) as Readonly<Record<string, string>>;
  const { ok, status: cause } = response;
  if (!ok) throw new Error(`The proxy refused (${cause}): ${answer.detail ?? "no reason given"}`, { cause });
  return answer;
}

/**
 * The origin of this page, if a server answers there but lets the page read nothing: a browser does not say so, and a
 * request that reads nothing succeeds.
 */
async function refusedOrigin(address: string): Promise<string | undefined> {
  const { location } = globalThis as { readonly location?: { readonly origin: string } };
  const origin = location?.origin;
  if (origin === undefined || origin === new URL(address).origin) return undefined;
  const probe = fetch(address, { mode: "no-cors", signal: AbortSignal.timeout(5000) });
  return probe.then(
    () => origin,
    () => undefined,
  );
}

/** Node's fetch has the reason in the cause; browsers give none. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string } };
  return cause?.code ?? message ?? String(error);
}

/** That of the environment. Node has one since version 22; for Node 20 this package brings another. */
async function findWebSocket(): Promise<typeof WebSocket> {
  if (typeof WebSocket === "function") return WebSocket;
  try {
    return (await import("ws")).WebSocket as unknown as typeof WebSocket;
  } catch (cause) {
    const message = "This environment has no WebSocket. Use Node 22 or later, or install the package `ws`.";
    throw new Error(message, { cause });
  }
}
