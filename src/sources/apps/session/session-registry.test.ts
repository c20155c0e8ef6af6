import { expect, test } from "vitest";
import { testContext } from "../../../../tests/support/test-source.ts";
import { silentLog } from "../../../core/log.ts";
import type { AppEvent } from "../app-event.ts";
import type { BridgeSocket } from "../bridge/bridge-socket.ts";
import { createLocalBus } from "../call/call-bus.ts";
import { createMemoryBudget } from "../memory-budget.ts";
import { createMemorySessionStore } from "../store/session-store.ts";
import { openSessionRegistry } from "./session-registry.ts";
import { parseSessionRequest } from "./session-request.ts";

async function open() {
  const events: AppEvent[] = [];
  const clock = { now: 0 };
  const store = createMemorySessionStore();
  const budget = createMemoryBudget(1_000_000);
  const sessions = await openSessionRegistry({
    store,
    bus: createLocalBus(),
    ttlMs: 1000,
    timeoutMs: 1000,
    graceMs: 0,
    log: silentLog,
    budget,
    count: (event) => void events.push(event),
    now: () => clock.now,
  });
  const request = (tools: object[] = []) => parseSessionRequest({ tools });
  return { sessions, store, budget, events, clock, request };
}

/** A socket that only records how it was closed. */
function socketOf(closed: unknown[]): BridgeSocket {
  return {
    isOpen: () => true,
    bufferedAmount: 0,
    send: (_, written) => written(),
    ping: () => {},
    close: (code) => void closed.push(code),
    terminate: () => void closed.push("terminated"),
  };
}

test("a sweep ends expired sessions, with their bridges, in the store and in the budget, and no others", async () => {
  const { sessions, store, budget, events, clock, request } = await open();
  const old = await sessions.create(request([{ name: "a" }]));
  const closed: unknown[] = [];
  await sessions.openBridge(old.session, socketOf(closed));
  clock.now = 600;
  const young = await sessions.create(request());
  clock.now = 1000;
  sessions.sweep();
  expect(closed).toEqual([4408]);
  expect(sessions.list().map(({ id }) => id)).toEqual([young.session.id]);
  expect((await store.all()).map(({ record }) => record.id)).toEqual([young.session.id]);
  expect(events.slice(-2)).toEqual(["session expired", "bridge lost"]);
  expect(budget.held).toBe("[]".length);
});

test("an expired session is not found even before a sweep", async () => {
  const { sessions, clock, request } = await open();
  const { session } = await sessions.create(request());
  clock.now = 999;
  expect(await sessions.find(session.id)).toBe(session);
  clock.now = 1000;
  expect(await sessions.find(session.id)).toBeUndefined();
});

test("concurrent changes of a session do not overwrite each other", async () => {
  const { sessions, store, request } = await open();
  const { session } = await sessions.create(request());
  const { toolSet } = request([{ name: "b" }]);
  await Promise.all([sessions.replaceTools(session.id, toolSet), sessions.closeBridgeToOthers(session.id)]);
  const stored = await store.get(session.id);
  expect(stored?.record).toMatchObject({ tools: [{ name: "b" }], ownTokens: "bridge" });
  expect(session.record).toEqual(stored?.record);
});

test("sessions that register the same tools share them", async () => {
  const { sessions, request } = await open();
  const [one, other] = [
    await sessions.create(request([{ name: "c" }])),
    await sessions.create(request([{ name: "c" }])),
  ];
  expect(one.session.source.tools()).toBe(other.session.source.tools());
});

test("changes that can't be stored are undone, even if two fail together", async () => {
  const { sessions, store, budget, request } = await open();
  const { session } = await sessions.create(request([{ name: "a" }]));
  const held = budget.held;
  const put = store.put.bind(store);
  store.put = () => Promise.reject(new Error("The disk is full."));
  const sets = [2, 20].map(
    (count) => request(Array.from({ length: count }, (_, n) => ({ name: `tool_${n}` }))).toolSet,
  );
  const changes = await Promise.allSettled(sets.map((set) => sessions.replaceTools(session.id, set)));
  expect(changes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect([session.record.tools, session.source.tools().length, budget.held]).toEqual([[{ name: "a" }], 1, held]);
  store.put = put;
  await sessions.replaceTools(session.id, sets[1]!);
  expect(session.source.tools()).toHaveLength(20);
  await sessions.remove(session.id);
  expect(budget.held).toBe(0);
});

test.each(["deleted", "expired"] as const)(
  "a call whose session is %s meanwhile gets an error that says so",
  async (how) => {
    const { sessions, clock, request } = await open();
    const { session } = await sessions.create(request([{ name: "a" }]));
    await sessions.openBridge(session, socketOf([]));
    const called = session.source.call("a", {}, testContext()).catch((error: unknown) => error);
    await new Promise(setImmediate);
    clock.now = 1000;
    if (how === "deleted") await sessions.remove(session.id);
    else sessions.sweep();
    const what = how === "deleted" ? "The session was deleted" : "The session expired";
    expect(await called).toMatchObject({
      code: "outcome-unknown",
      message: `${what} after the call was sent. Whether the tool ran is unknown: check before you call it again.`,
    });
  },
);
