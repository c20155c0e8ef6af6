import { Fault } from "../../../core/fault.ts";
import { quoted } from "../../../core/quoted.ts";
import type { AuthControl } from "./auth-control.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The verbs of signing in, for another process of the same person. */
export function answerAuth(auth: AuthControl, body: Fields): Promise<unknown> {
  const acts: Readonly<Record<string, () => Promise<unknown>>> = {
    way: () => auth.wayOf(text(body, "server")),
    begin: () => auth.begin(text(body, "server"), { ...wishOf(body), redirectUri: text(body, "redirectUri") }),
    finish: () => auth.finish(text(body, "server"), text(body, "query"), body["pasted"] === true),
    cancel: () => auth.cancel(text(body, "server"), text(body, "state")),
    waiting: () => auth.isWaiting(text(body, "server"), text(body, "state")),
    device: () => auth.beginDevice(text(body, "server"), wishOf(body)),
    deviceDone: () => auth.awaitDevice(text(body, "server"), text(body, "userCode")),
    deviceCancel: () => auth.cancelDevice(text(body, "server"), text(body, "userCode")),
    logout: () => auth.logout(text(body, "server")),
    status: () => auth.status(text(body, "server")),
    list: () => auth.list(),
  };
  const name = text(body, "act");
  const act = Object.hasOwn(acts, name) ? acts[name] : undefined;
  if (act === undefined) throw new Fault("not-found", `Signing in knows no ${quoted(name, 40)}.`);
  return act();
}

function wishOf(body: Fields): { scope?: string; issuer?: string } {
  return {
    ...(body["scope"] !== undefined && { scope: text(body, "scope") }),
    ...(body["issuer"] !== undefined && { issuer: text(body, "issuer") }),
  };
}

function text(body: Fields, name: string): string {
  const value = body[name];
  if (typeof value !== "string") throw new Fault("bad-params", `"${name}" has to be a text.`);
  return value;
}
