import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hashToken } from "../../core/secrets/crypto.ts";
import { openConsoleSessions } from "./console-sessions.ts";

async function open() {
  const folder = await mkdtemp(join(tmpdir(), "sessions-"));
  const home = { file: (...parts: string[]) => join(folder, ...parts) };
  const world = { now: Date.parse("2026-01-01T00:00:00Z"), key: "one" as string | undefined };
  const openAgain = () => openConsoleSessions({ home, tokenKey: () => world.key, clock: () => world.now });
  return {
    world,
    openAgain,
    sessions: openAgain(),
    kept: async () => JSON.parse(await readFile(home.file("console", "sessions.json"), "utf8")) as unknown[],
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const hour = 60 * 60_000;
const link = (secret: string) => ({ secret: hashToken(secret), terminal: true });

test("a session ends after 12 hours without a request, and after a week in any case", async () => {
  await using place = await open();
  const { sessions, world } = place;
  const cookie = await sessions.begin(link("s"));
  const isIn = async () => (await sessions.match([cookie], "s")) !== undefined;
  for (let day = 0; day < 13; day++) {
    world.now += 11 * hour;
    expect(await isIn()).toBe(true);
  }
  // Also in the next process.
  expect(await place.openAgain().match([cookie], "s")).toMatchObject({ terminal: true });
  world.now += 12 * hour + 1;
  expect(await isIn()).toBe(false);
  const other = await sessions.begin(link("t"));
  for (let times = 0; times < 16; times++) {
    world.now += 11 * hour;
    await sessions.match([other], "t");
  }
  expect(await sessions.match([other], "t")).toBeUndefined();
});

test("a cookie without its secret, or with that of another session, matches nothing", async () => {
  await using place = await open();
  const { sessions } = place;
  const [one, two] = [await sessions.begin(link("1")), await sessions.begin(link("2"))];
  expect(await sessions.match([one], "2")).toBeUndefined();
  expect(await sessions.match([one], "")).toBeUndefined();
  expect(await sessions.match([], "1")).toBeUndefined();
  expect(await sessions.match(["x", two, one], "1")).toMatchObject({ id: hashToken(one) });
});

test("a new token ends all sessions but the one that asked for it; without a token no one gets in", async () => {
  await using place = await open();
  const { sessions, world } = place;
  const [one, two] = [await sessions.begin(link("1")), await sessions.begin(link("2"))];
  const asking = await sessions.match([one], "1");
  // A while after its last request, so that its use is written down in the same moment.
  world.now += hour;
  sessions.keepThroughReset(asking!);
  world.key = "two";
  expect(await sessions.match([two], "2")).toBeUndefined();
  expect(await sessions.match([one], "1")).toBeDefined();
  world.key = "three";
  world.now += 60_000;
  expect(await sessions.match([one], "1")).toBeUndefined();
  world.key = undefined;
  await expect(sessions.begin(link("3"))).rejects.toMatchObject({ code: "unavailable" });
});

test("the twenty latest are kept", async () => {
  await using place = await open();
  const { sessions, world } = place;
  const cookies: string[] = [];
  for (let index = 0; index < 25; index++) {
    world.now += 1000;
    cookies.push(await sessions.begin(link(String(index))));
  }
  expect(await place.kept()).toHaveLength(20);
  expect(await sessions.match([cookies[0]!], "0")).toBeUndefined();
  expect(await sessions.match([cookies[24]!], "24")).toBeDefined();
});
