import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

interface Frame {
  readonly id: string;
  readonly method: string;
  // Tests look into it and compare.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly params: any;
}

/** How a test answers a request: with a payload, with an error, or with undefined for the usual answer. */
export type Answerer = (request: Frame, gateway: FakeGateway) => unknown;

/** Speaks as much of OpenClaw's gateway protocol as orders need, and answers every order with an echo. */
export interface FakeGateway extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: Frame[];
  /** The capabilities of each connected client. */
  caps(): readonly (readonly string[])[];
  /** Sends an event to all clients, or to those with a capability. */
  emit(event: string, payload: object, cap?: string): void;
  /** Drops all connections; clients may reconnect. With `isRestarted` it then has a new boot id. */
  cut(isRestarted: boolean): void;
  /** Ends a run with a text. */
  finish(runId: string, text: string): void;
}

const policy = {
  maxPayload: 26_214_400,
  maxBufferedBytes: 52_428_800,
  tickIntervalMs: 30_000,
  attachments: { maxBytes: 19_464_192, maxImageBytes: 6_291_456 },
};

export async function startFakeGateway(answer: Answerer = () => undefined): Promise<FakeGateway> {
  const requests: Frame[] = [];
  const clients = new Map<WebSocket, readonly string[]>();
  let boots = 1;
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, maxPayload: policy.maxPayload });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const gateway: FakeGateway = {
    url: `ws://127.0.0.1:${port}`,
    port,
    requests,
    caps: () => [...clients.values()],
    emit(event, payload, cap) {
      for (const [client, caps] of clients)
        if (cap === undefined || caps.includes(cap)) send(client, { type: "event", event, payload });
    },
    cut(isRestarted) {
      if (isRestarted) boots++;
      for (const client of server.clients) client.terminate();
    },
    finish(runId, text) {
      gateway.emit("chat", { runId, state: "final", message: { content: [{ type: "text", text }] } });
    },
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate();
      server.close();
      await once(server, "close");
    },
  };

  server.on("connection", (client) => {
    send(client, { type: "event", event: "connect.challenge", payload: { nonce: "n", ts: Date.now() } });
    client.on("close", () => clients.delete(client));
    client.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame;
      const { id, method, params } = frame;
      if (method === "connect") clients.set(client, params.caps ?? []);
      else requests.push({ id, method, params: withoutContent(params) });
      const payload = answer(frame, gateway) ?? usualAnswer(frame, `boot-${boots}`);
      if (payload instanceof Error) return send(client, { type: "res", id, ok: false, error: refusal(payload) });
      send(client, { type: "res", id, ok: true, payload });
      if (method === "chat.send" && (payload as { status?: string }).status === "started")
        gateway.finish(params.idempotencyKey, `ECHO:${params.message}`);
    });
  });
  return gateway;
}

/** Keeps only the size of attachments: a hundred orders with content would not fit into memory. */
function withoutContent(params: Frame["params"]): Frame["params"] {
  if (!Array.isArray(params?.attachments)) return params;
  const attachments = params.attachments.map(({ content, ...facts }: { content: string }) => {
    return { ...facts, characters: content.length };
  });
  return { ...params, attachments };
}

function refusal(error: Error): object {
  const { message } = error;
  return { code: "UNAVAILABLE", message, ...("details" in error && { details: error.details }) };
}

function usualAnswer({ method, params }: Frame, bootId: string): object {
  switch (method) {
    case "connect":
      return {
        type: "hello-ok",
        protocol: 4,
        server: { version: "fake", connId: "c", bootId },
        features: { methods: [], events: [] },
        snapshot: {},
        auth: { role: "operator", scopes: params.scopes },
        policy,
      };
    case "chat.send":
      return { runId: params.idempotencyKey, status: "started" };
    case "artifacts.list":
      return { artifacts: [] };
    case "chat.history":
      return { messages: [] };
    default:
      return { ok: true };
  }
}

function send(client: WebSocket, frame: object): void {
  client.send(JSON.stringify(frame));
}
