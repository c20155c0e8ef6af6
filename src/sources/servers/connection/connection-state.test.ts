import { expect, test } from "vitest";
import { type ConnectionEvent, type ConnectionState, isOpen, nextState } from "./connection-state.ts";

const states = {
  queued: { kind: "queued" },
  sleeping: { kind: "sleeping" },
  connecting: { kind: "connecting", attempt: 2 },
  ready: { kind: "ready", since: 5 },
  degraded: { kind: "degraded", since: 5, reason: "slow" },
  reconnecting: { kind: "reconnecting", attempt: 2, nextAt: 9, reason: "cut" },
  "needs-sign-in": { kind: "needs-sign-in", reason: "401" },
  stopped: { kind: "stopped", reason: "closed" },
} as const satisfies Record<string, ConnectionState>;

type Kind = keyof typeof states;

const events = {
  start: { kind: "start" },
  connected: { kind: "connected", at: 7 },
  failed: { kind: "failed", reason: "no", nextAt: 9 },
  lost: { kind: "lost", reason: "gone", nextAt: 9 },
  refused: { kind: "refused", needs: "sign-in", reason: "401" },
  checked: { kind: "checked", problem: undefined },
  "checked without an answer": { kind: "checked", problem: "silent" },
  parked: { kind: "parked" },
  slept: { kind: "slept" },
  stopped: { kind: "stopped", reason: "closed" },
} as const satisfies Record<string, ConnectionEvent>;

/** What each event makes of each state; a state that is not named stays as it is. */
const table: Record<keyof typeof events, Partial<Record<Kind, ConnectionState>>> = {
  start: {
    queued: { kind: "connecting", attempt: 1 },
    sleeping: { kind: "connecting", attempt: 1 },
    connecting: { kind: "connecting", attempt: 3 },
    reconnecting: { kind: "connecting", attempt: 3 },
    "needs-sign-in": { kind: "connecting", attempt: 1 },
  },
  connected: { connecting: { kind: "ready", since: 7 } },
  failed: { connecting: { kind: "reconnecting", attempt: 2, nextAt: 9, reason: "no" } },
  lost: {
    ready: { kind: "reconnecting", attempt: 0, nextAt: 9, reason: "gone" },
    degraded: { kind: "reconnecting", attempt: 0, nextAt: 9, reason: "gone" },
  },
  refused: {
    queued: { kind: "needs-sign-in", reason: "401" },
    sleeping: { kind: "needs-sign-in", reason: "401" },
    connecting: { kind: "needs-sign-in", reason: "401" },
    ready: { kind: "needs-sign-in", reason: "401" },
    degraded: { kind: "needs-sign-in", reason: "401" },
    reconnecting: { kind: "needs-sign-in", reason: "401" },
  },
  checked: { degraded: { kind: "ready", since: 5 } },
  "checked without an answer": {
    ready: { kind: "degraded", since: 5, reason: "silent" },
    degraded: { kind: "degraded", since: 5, reason: "silent" },
  },
  parked: {
    sleeping: { kind: "queued" },
    connecting: { kind: "queued" },
    ready: { kind: "queued" },
    degraded: { kind: "queued" },
    reconnecting: { kind: "queued" },
    "needs-sign-in": { kind: "queued" },
  },
  slept: {
    queued: { kind: "sleeping" },
    connecting: { kind: "sleeping" },
    ready: { kind: "sleeping" },
    degraded: { kind: "sleeping" },
    reconnecting: { kind: "sleeping" },
    "needs-sign-in": { kind: "sleeping" },
  },
  stopped: {
    sleeping: { kind: "stopped", reason: "closed" },
    queued: { kind: "stopped", reason: "closed" },
    connecting: { kind: "stopped", reason: "closed" },
    ready: { kind: "stopped", reason: "closed" },
    degraded: { kind: "stopped", reason: "closed" },
    reconnecting: { kind: "stopped", reason: "closed" },
    "needs-sign-in": { kind: "stopped", reason: "closed" },
  },
};

const rows = Object.keys(events).flatMap((event) =>
  Object.keys(states).map((state) => [state as Kind, event as keyof typeof events] as const),
);

test.each(rows)("%s, then %s", (state, event) => {
  expect(nextState(states[state], events[event])).toEqual(table[event][state] ?? states[state]);
});

test("only ready and degraded connections are open", () => {
  expect(Object.keys(states).filter((kind) => isOpen(states[kind as Kind]))).toEqual(["ready", "degraded"]);
});

test("attempts are counted until one succeeds", () => {
  const story: ConnectionEvent[] = [events.start, events.failed, events.start, events.failed, events.start];
  const seen = story.reduce<ConnectionState>((state, event) => nextState(state, event), { kind: "queued" });
  expect(seen).toEqual({ kind: "connecting", attempt: 3 });
  const after = [events.connected, events.lost, events.start].reduce<ConnectionState>(nextState, seen);
  expect(after).toEqual({ kind: "connecting", attempt: 1 });
});
