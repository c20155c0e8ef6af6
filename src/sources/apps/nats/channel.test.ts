import { Kvm } from "@nats-io/kv";
import { expect, test } from "vitest";
import { hasNats, startNatsServer } from "../../../../tests/support/nats-server.ts";
import { silentLog } from "../../../core/log.ts";
import type { BridgeHolder, CallOutcome } from "../call/call-bus.ts";
import { createBulk } from "./bulk.ts";
import { openNatsBus } from "./nats-bus.ts";
import { type NatsOptions, openNatsLinks } from "./nats-connection.ts";
import { openNatsSessionStore } from "./nats-session-store.ts";

const wrong = [
  "",
  "garbage",
  "null",
  "[]",
  "7",
  '{"order":null}',
  '{"bulk":null}',
  '{"bulk":{"from":7,"bytes":"x"}}',
  '{"kind":"bulk"}',
  '{"kind":"again"}',
  '{"kind":"cancel","sending":"__proto__"}',
];

const echo: BridgeHolder = {
  receive({ tool }, listener) {
    listener.accepted();
    listener.settled({ kind: "done", result: { content: [{ type: "text", text: tool }] } });
    return { cancel() {}, answer() {} };
  },
  evict() {},
};

test.skipIf(!hasNats)("messages and records that nobody can read are dropped, and calls still cross", async () => {
  await using nats = await startNatsServer();
  const options: NatsOptions = { servers: [nats.url], prefix: "test" };
  await using links = await openNatsLinks(options, silentLog);
  await using others = await openNatsLinks(options, silentLog);
  await using holder = await openNatsBus(links, silentLog);
  await using caller = await openNatsBus(others, silentLog);
  await holder.hold("session", echo);

  const pieces = createBulk(others, "stranger", { maxBytes: 1000, maxWaiting: 1000 });
  const large = ["garbage", "null"].map((text) => JSON.stringify({ bulk: pieces.offer(Buffer.from(text)) }));
  const ends = ["evict", "control", "ping"].map((end) => `instance.${holder.instance}.${end}`);
  const own = [`reply.${holder.instance}.1`, `bulk.${holder.instance}.x`];
  for (const subject of ["call.session", "control", "who", ...ends, ...own])
    for (const text of [...wrong, ...large]) others.main.publish(`test.${subject}`, text, { reply: "_INBOX.nobody" });
  await others.main.flush();

  const order = {
    sessionId: "session",
    callId: "1",
    tool: "hi",
    args: {},
    deadline: Date.now() + 5000,
    mayRepeat: true,
  };
  const outcome = await new Promise<CallOutcome>((settled) => {
    caller.send(order, { accepted() {}, news() {}, settled });
  });
  expect(outcome).toMatchObject({ kind: "done", result: { content: [{ text: "hi" }] } });
  pieces.close();

  await using store = await openNatsSessionStore(links, silentLog);
  const bucket = await new Kvm(others.main).open("test-sessions");
  for (const [at, text] of ["garbage", "null", "{}", '{"record":{}}'].entries()) await bucket.put(`bad${at}`, text);
  expect(await store.all()).toEqual([]);
});
