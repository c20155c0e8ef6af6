import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";

interface Frame {
  readonly type: string;
  readonly id?: string;
  readonly ok?: boolean;
  readonly event?: string;
  readonly payload?: Record<string, unknown>;
  readonly error?: { readonly code?: string; readonly message?: string };
}

/** An operator's chat client at the gateway, which can also answer approvals. */
export interface GatewayChat extends AsyncDisposable {
  /** Sends a message and gives the text of the final answer. */
  say(message: string, sessionKey?: string): Promise<string>;
  request<T = Record<string, unknown>>(method: string, params?: object): Promise<T>;
  /** Answers the next question about a tool of a plugin; gives what was asked. */
  answerNext(decision: "allow-once" | "allow-always" | "deny"): Promise<ApprovalAsked>;
  /** What was posted to chats so far, besides answers. */
  readonly posted: readonly string[];
  /** Questions that came so far. */
  readonly asked: readonly ApprovalAsked[];
}

export interface ApprovalAsked {
  readonly title: string;
  readonly description: string;
  readonly toolName: string;
  readonly allowedDecisions: readonly string[];
}

/** With `operator.admin` it is the owner's; with `operator.write` it may send messages, but is not the owner's. */
export async function openChat(
  url: string,
  token: string,
  scopes: readonly string[] = ["operator.admin"],
): Promise<GatewayChat> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const pending = new Map<string, (frame: Frame) => void>();
  const listeners = new Set<(frame: Frame) => void>();
  const asked: ApprovalAsked[] = [];
  const posted: string[] = [];
  const challenged = Promise.withResolvers<void>();
  socket.on("error", (error) => challenged.reject(error));
  socket.on("close", () => {
    challenged.reject(new Error("The gateway closed the connection."));
    for (const answer of pending.values()) answer({ type: "res", error: { message: "the connection was closed" } });
  });
  socket.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Frame;
    if (frame.event === "connect.challenge") return challenged.resolve();
    if (frame.type === "res") return pending.get(frame.id ?? "")?.(frame);
    for (const listener of listeners) listener(frame);
  });
  listeners.add(({ event, payload }) => {
    if (event === "plugin.approval.requested") asked.push(payload?.["request"] as ApprovalAsked);
    if (event === "chat" && String(payload?.["runId"]).startsWith("inject-")) posted.push(textOf(payload?.["message"]));
  });
  await challenged.promise;
  await request("connect", {
    minProtocol: 4,
    maxProtocol: 4,
    client: { id: "gateway-client", version: "0.0.1", platform: "linux", mode: "backend" },
    role: "operator",
    scopes,
    caps: ["tool-events", "plugin-approvals"],
    auth: { token },
    locale: "en-US",
    userAgent: "bench/0.0.1",
  });

  return {
    asked,
    posted,
    request,
    async say(message, sessionKey = `agent:main:${randomUUID()}`) {
      const runId = randomUUID();
      const final = nextEvent(
        ({ event, payload }) =>
          event === "chat" &&
          payload?.["runId"] === runId &&
          ["final", "error", "aborted"].includes(String(payload["state"])),
      );
      await request("chat.send", { sessionKey, message, idempotencyKey: runId });
      const { payload } = await final;
      if (payload?.["state"] !== "final") throw new Error(`the run ended with ${JSON.stringify(payload)}`);
      return textOf(payload["message"]);
    },
    async answerNext(decision) {
      const { payload = {} } = await nextEvent(({ event }) => event === "plugin.approval.requested");
      await request("plugin.approval.resolve", { id: payload["id"], decision });
      return payload["request"] as ApprovalAsked;
    },
    async [Symbol.asyncDispose]() {
      socket.close();
    },
  };

  function nextEvent(matches: (frame: Frame) => boolean): Promise<Frame> {
    const { promise, resolve } = Promise.withResolvers<Frame>();
    const listener = (frame: Frame): void => {
      if (!matches(frame)) return;
      listeners.delete(listener);
      resolve(frame);
    };
    listeners.add(listener);
    return promise;
  }

  async function request<T>(method: string, params: object = {}): Promise<T> {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Frame>();
    pending.set(id, resolve);
    socket.send(JSON.stringify({ type: "req", id, method, params }));
    const { ok, payload, error } = await promise;
    pending.delete(id);
    if (ok !== true) throw new Error(`${method}: ${error?.code} ${error?.message}`);
    return payload as T;
  }
}

function textOf(message: unknown): string {
  const { content } = (message ?? {}) as { readonly content?: string | readonly { readonly text?: string }[] };
  return typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("");
}
