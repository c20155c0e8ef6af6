import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { type ConsoleSessions, createConsoleSessions } from "./console-sessions.ts";
import { deriveKey, macOf } from "./proof-keys.ts";
import { formatSignature, requestText, sessionKeyInfo, sessionSalt } from "./signed-texts.ts";

function open() {
  const world = { now: Date.parse("2026-01-01T00:00:00Z"), key: "one" as string | undefined };
  return { world, sessions: createConsoleSessions({ tokenKey: () => world.key, clock: () => world.now }) };
}

const hour = 60 * 60_000;
const request = { method: "GET", path: "/console/api/events" };

/** Signs in, and asks with the next number each time. */
function signIn(sessions: ConsoleSessions, secret = "s") {
  const { session } = sessions.begin({ secret, terminal: true }, "nonce");
  const key = deriveKey(secret, sessionSalt("nonce", session), sessionKeyInfo);
  let counter = 0;
  const sign = (channel: string): string => {
    const bodyHash = hash("sha256", "", "base64url");
    const signed = { session, channel, counter: ++counter, bodyHash, ...request };
    return formatSignature(signed, macOf(key, requestText(signed)));
  };
  const match = (channel = "c".repeat(22)) => sessions.match(sign(channel), request)?.session;
  return { session, match, isIn: () => match() !== undefined };
}

test("a session ends after 12 hours without a request, and after a week in any case", () => {
  const { sessions, world } = open();
  const { isIn } = signIn(sessions);
  for (let day = 0; day < 13; day++) {
    world.now += 11 * hour;
    expect(isIn()).toBe(true);
  }
  world.now += 12 * hour + 1;
  expect(isIn()).toBe(false);
  const other = signIn(sessions);
  for (let times = 0; times < 16; times++) {
    world.now += 11 * hour;
    other.isIn();
  }
  expect(other.isIn()).toBe(false);
});

test("one secret and one nonce make another key each time", () => {
  const { sessions } = open();
  const [one, other] = [signIn(sessions), signIn(sessions)];
  expect(one.session).not.toBe(other.session);
  expect([one.isIn(), other.isIn()]).toEqual([true, true]);
  sessions.end({ id: one.session, terminal: true });
  expect([one.isIn(), other.isIn()]).toEqual([false, true]);
});

test("a new token ends all sessions but the one that asked for it; without a token no one gets in", () => {
  const { sessions, world } = open();
  const [one, two] = [signIn(sessions), signIn(sessions)];
  world.now += hour;
  sessions.keepThroughReset(one.match()!);
  world.key = "two";
  expect([one.isIn(), two.isIn()]).toEqual([true, false]);
  world.key = "three";
  world.now += 60_000;
  expect(one.isIn()).toBe(false);
  world.key = undefined;
  expect(() => signIn(sessions)).toThrow("Try again in a second");
});

test("the twenty latest are kept, and one that has ended goes first", () => {
  const { sessions, world } = open();
  const opened = Array.from({ length: 25 }, () => {
    world.now += 1000;
    return signIn(sessions);
  });
  expect(opened.filter(({ isIn }) => isIn())).toHaveLength(20);
  expect(opened[4]!.isIn()).toBe(false);
  sessions.end(opened[24]!.match()!);
  signIn(sessions);
  expect(opened[5]!.isIn()).toBe(true);
});

test("a page can be loaded 4,096 times in a session, and none of those is forgotten", () => {
  const { sessions } = open();
  const { match } = signIn(sessions);
  const channel = (number: number) => String(number).padStart(22, "0");
  for (let number = 0; number < 4096; number++) expect(match(channel(number))).toBeDefined();
  expect(match(channel(5000))).toBeUndefined();
  expect(match(channel(0))).toBeDefined();
});
