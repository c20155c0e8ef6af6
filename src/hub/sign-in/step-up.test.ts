import { expect, test } from "vitest";
import type { CallContext } from "../../catalog/call-context.ts";
import type { Caller } from "../../catalog/caller.ts";
import { silentLog } from "../../core/log.ts";
import type { Question } from "../../mcp/messages/interim-messages.ts";
import type { SignIns } from "./sign-ins.ts";
import { createStepUp, type SignInEvent } from "./step-up.ts";

const able = { capabilities: { elicitation: { url: {} } } };

/** Sign-ins of a server whose user is already done elsewhere when they are asked, and a caller that answers. */
function openSignIns(tell?: (event: SignInEvent) => void) {
  const begun: string[] = [];
  const asked: Question[] = [];
  const signIns: Partial<SignIns> = {
    methodFor: () => Promise.resolve({}),
    status: () => Promise.resolve({ kind: "signed-in", signedInAt: begun.length }),
    begin({ server, scope }) {
      begun.push(`${server}: ${scope}`);
      return Promise.resolve({ kind: "redirect", url: "https://issuer.example/authorize", state: "state" });
    },
    isWaiting: () => Promise.resolve(false),
    cancel: () => Promise.resolve(),
  };
  const contextOf = (caller: Caller, more: Partial<CallContext> = {}): CallContext => ({
    caller,
    client: able,
    signal: new AbortController().signal,
    log: silentLog,
    progress: () => {},
    tell: () => {},
    ask(question) {
      asked.push(question);
      return Promise.resolve({ action: "accept" });
    },
    ...more,
  });
  return { begun, asked, contextOf, stepUp: createStepUp(signIns as SignIns, tell) };
}

test.for<[name: string, caller: Caller, more: Partial<CallContext>]>([
  ["with a token of its own", { door: "mcp-http", token: "phone", isLocal: true }, {}],
  ["from another machine", { door: "mcp-http", token: "main" }, {}],
  ["of an app", { door: "app-proxy" }, {}],
  ["of OpenClaw that is not its owner's", { door: "plugin", agent: "main", sender: "telegram:2" }, {}],
  ["that can't open addresses", { door: "mcp-stdio" }, { client: { capabilities: { elicitation: { form: {} } } } }],
])("no sign-in is begun for a caller %s", async ([, caller, more]) => {
  const { stepUp, begun, asked, contextOf } = openSignIns();
  expect(await stepUp("one", "read write", contextOf(caller, more))).toBe(false);
  expect([begun, asked]).toEqual([[], []]);
});

test("calls that lack the same permission share one sign-in", async () => {
  const { stepUp, begun, asked, contextOf } = openSignIns();
  const calls = Array.from({ length: 5 }, () => stepUp("one", "read write", contextOf({ door: "mcp-stdio" })));
  expect(await Promise.all(calls)).toEqual([true, true, true, true, true]);
  expect(begun).toEqual(["one: read write"]);
  expect(asked).toMatchObject([{ params: { mode: "url", url: "https://issuer.example/authorize" } }]);
});

test("a call that is cancelled while its user signs in ends at once", async () => {
  const { stepUp, contextOf } = openSignIns();
  const cancelled = new AbortController();
  const ask = () => new Promise<never>(() => {});
  const call = stepUp("one", "write", contextOf({ door: "cli" }, { signal: cancelled.signal, ask }));
  cancelled.abort(new Error("Ctrl-C"));
  await expect(call).rejects.toMatchObject({ code: "cancelled" });
});

test.for<[name: string, scope: string | undefined]>([
  ["more permissions", "read write"],
  ["a sign-in", undefined],
])("an agent's call for OpenClaw's owner that needs %s gets the address, and the end is told", async ([, scope]) => {
  const told: SignInEvent[] = [];
  const { stepUp, begun, asked, contextOf } = openSignIns((event) => told.push(event));
  const caller: Caller = { door: "plugin", agent: "main", isOwner: true };
  const address = await stepUp("one", scope, contextOf(caller));
  expect(address).toEqual(new URL("https://issuer.example/authorize"));
  expect(asked).toEqual([]);
  expect(begun).toEqual([`one: ${scope}`]);
  await expect.poll(() => told, { timeout: 30_000 }).toEqual([{ kind: "ended", server: "one" }]);
});
