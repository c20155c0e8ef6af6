import type { AuthControl, BegunSignIn, DevicePrompt, SignInEntry } from "./auth-control.ts";

/** Asks the hub for one act of signing in. */
export type AskAuth = <T>(
  body: { readonly act: string } & Readonly<Record<string, unknown>>,
  withinMs: number,
) => Promise<T>;

const stepMs = 150_000;
const lookUpMs = 15_000;
/** Longer than any code on another device is good for. */
const deviceMs = 3_600_000;

/** Signing in to the servers of a hub that runs as another process. */
export function createRemoteAuthControl(ask: AskAuth): AuthControl {
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
