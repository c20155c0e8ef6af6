import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import { quoted } from "../../core/peer-text.ts";
import type { HubControl } from "./hub-control.ts";
import type { SignInControl } from "./sign-in-control.ts";

/** Takes what another process of the same person asks of this one's servers. */
export type ControlApi = (verb: string, body: unknown) => Promise<unknown>;

/**
 * Looks and switches only: nothing here can change the configuration. Whoever wants another server has to be able to
 * write the file, since a server can be any command.
 */
export function createControlApi(control: HubControl): ControlApi {
  const verbs: Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => Promise<unknown>>> = {
    servers: () => control.servers(),
    tools: ({ source }) => control.tools(optionalText(source, "source")),
    tool: async ({ name }) => (await control.findTool(text(name, "name"))) ?? null,
    connect: ({ name }) => control.connect(text(name, "name")),
    disconnect: ({ name }) => control.disconnect(text(name, "name")),
    refresh: ({ name }) => control.refresh(optionalText(name, "name")),
    logs: ({ name }) => control.logs(text(name, "name")),
    auth: (body) => answerAuth(control.auth, body),
    configuration: () => control.configuration(),
    reload: async () => {
      await control.reload();
      return null;
    },
  };
  return async (verb, body) => {
    const act = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (act === undefined) throw new Fault("not-found", `The hub can't be asked for ${quoted(verb, 40)}.`);
    if (!isRecord(body)) throw new Fault("bad-params", "The body has to be a JSON object.");
    return act(body);
  };
}

function text(value: unknown, name: string): string {
  if (typeof value !== "string") throw new Fault("bad-params", `"${name}" has to be a text.`);
  return value;
}

function optionalText(value: unknown, name: string): string | undefined {
  return value === undefined ? undefined : text(value, name);
}

type Fields = Readonly<Record<string, unknown>>;

/** The verbs of signing in, for another process of the same person. */
function answerAuth(auth: SignInControl, body: Fields): Promise<unknown> {
  const acts: Readonly<Record<string, () => Promise<unknown>>> = {
    way: () => auth.wayOf(textField(body, "server")),
    begin: () =>
      auth.begin(textField(body, "server"), { ...wishOf(body), redirectUri: textField(body, "redirectUri") }),
    finish: () => auth.finish(textField(body, "server"), textField(body, "query"), body["pasted"] === true),
    cancel: () => auth.cancel(textField(body, "server"), textField(body, "state")),
    waiting: () => auth.isWaiting(textField(body, "server"), textField(body, "state")),
    device: () => auth.beginDevice(textField(body, "server"), wishOf(body)),
    deviceDone: () => auth.awaitDevice(textField(body, "server"), textField(body, "userCode")),
    deviceCancel: () => auth.cancelDevice(textField(body, "server"), textField(body, "userCode")),
    logout: () => auth.logout(textField(body, "server")),
    status: () => auth.status(textField(body, "server")),
    list: () => auth.list(),
  };
  const name = textField(body, "act");
  const act = Object.hasOwn(acts, name) ? acts[name] : undefined;
  if (act === undefined) throw new Fault("not-found", `Signing in knows no ${quoted(name, 40)}.`);
  return act();
}

function wishOf(body: Fields): { scope?: string; issuer?: string } {
  return {
    ...(body["scope"] !== undefined && { scope: textField(body, "scope") }),
    ...(body["issuer"] !== undefined && { issuer: textField(body, "issuer") }),
  };
}

function textField(body: Fields, name: string): string {
  const value = body[name];
  if (typeof value !== "string") throw new Fault("bad-params", `"${name}" has to be a text.`);
  return value;
}
