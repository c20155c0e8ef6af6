import { Agent } from "node:http";
import { Fault, isFaultCode } from "../../core/fault.ts";
import { hubControlUrl } from "../../core/http/hub-routes.ts";
import { readText, sendHttp } from "../../core/http/send-http.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Secret } from "../../core/secrets/secret.ts";
import { withDeadline } from "../../core/wait.ts";
import type { ServerStatus } from "../../sources/servers/server-status.ts";
import type { ConfigPlace, HubControl, ListedTool } from "./hub-control.ts";
import type { BegunSignIn, DevicePrompt, SignInControl, SignInEntry } from "./sign-in-control.ts";

/** A hub that runs, and what opens it. */
export interface RunningHub {
  /** Without a path: `http://127.0.0.1:8765`. */
  readonly address: string;
  readonly token: Secret;
}

const largestAnswer = 256 * 1024 * 1024;
/** What the hub only looks up, and what it has to ask a server for: one may have to be fetched before it starts. */
const lookUpMs = 15_000;
const serverMs = 300_000;

/** The servers of a hub that runs as another process. */
export function createRemoteControl(hub: RunningHub): HubControl & { close(): void } {
  const agent = new Agent({ keepAlive: true });

  return {
    servers: () => ask<readonly ServerStatus[]>("servers"),
    tools: (source) => ask<readonly ListedTool[]>("tools", { source }),
    findTool: async (name) => (await ask<ListedTool | null>("tool", { name })) ?? undefined,
    connect: (name) => ask<ServerStatus>("connect", { name }, serverMs),
    disconnect: (name) => ask<ServerStatus>("disconnect", { name }),
    refresh: (name) => ask<readonly ServerStatus[]>("refresh", { name }, serverMs),
    logs: (name) => ask<string>("logs", { name }),
    auth: createRemoteSignInControl((body, withinMs) => ask("auth", body, withinMs)),
    configuration: () => ask<ConfigPlace>("configuration"),
    reload: async () => void (await ask("reload")),
    close: () => agent.destroy(),
  };

  async function ask<T>(verb: string, body: object = {}, withinMs = lookUpMs): Promise<T> {
    const headers = { authorization: `Bearer ${hub.token.reveal()}`, "content-type": "application/json" };
    const url = hubControlUrl(hub.address, verb);
    const { status, text } = await withDeadline(withinMs, undefined, async (signal) => {
      const response = await sendHttp({ url, method: "POST", headers, body: JSON.stringify(body), agent, signal });
      return { status: response.statusCode ?? 0, text: await readText(response, largestAnswer) };
    });
    const answer = parseAnswer(text);
    if (answer !== undefined && "result" in answer) return answer.result as T;
    throw faultOf(answer?.error, status, hub.address);
  }
}

interface ControlAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly detail?: unknown };
}

function parseAnswer(text: string): ControlAnswer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function faultOf(error: ControlAnswer["error"], status: number, address: string): Fault {
  if (isFaultCode(error?.code) && typeof error?.message === "string")
    return new Fault(error.code, error.message, { detail: error.detail });
  if (status === 401)
    return new Fault("unauthorized", `The hub at ${address} takes another token; see "clawport token path".`);
  return new Fault("unavailable", `The hub at ${address} can't be asked (status ${status}). Is it an older version?`);
}

/** Asks the hub for one act of signing in. */
export type AskSignIn = <T>(
  body: { readonly act: string } & Readonly<Record<string, unknown>>,
  withinMs: number,
) => Promise<T>;

const stepMs = 150_000;
/** Longer than any code on another device is good for. */
const deviceMs = 3_600_000;

/** Signing in to the servers of a hub that runs as another process. */
function createRemoteSignInControl(ask: AskSignIn): SignInControl {
  return {
    wayOf: (server) => ask({ act: "way", server }, lookUpMs),
    begin: (server, wish) => ask<BegunSignIn>({ act: "begin", server, ...wish }, stepMs),
    finish: async (server, query, pasted) => void (await ask({ act: "finish", server, query, pasted }, stepMs)),
    cancel: async (server, state) => void (await ask({ act: "cancel", server, state }, stepMs)),
    isWaiting: (server, state) => ask<boolean>({ act: "waiting", server, state }, stepMs),
    beginDevice: (server, wish) => ask<DevicePrompt>({ act: "device", server, ...wish }, stepMs),
    awaitDevice: async (server, userCode) => void (await ask({ act: "deviceDone", server, userCode }, deviceMs)),
    cancelDevice: async (server, userCode) => void (await ask({ act: "deviceCancel", server, userCode }, lookUpMs)),
    logout: (server) => ask({ act: "logout", server }, stepMs),
    status: (server) => ask({ act: "status", server }, stepMs),
    list: () => ask<readonly SignInEntry[]>({ act: "list" }, stepMs),
  };
}
