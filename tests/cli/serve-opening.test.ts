import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test, vi } from "vitest";
import type { Wire } from "../support/mcp/messages.ts";
import { pidsRunning } from "../support/running-commands.ts";
import { until } from "../support/until.ts";
import { mainFile, type Place, startHub } from "../support/cli/run-clawport.ts";
import { placeWith, runHere, shelf } from "../support/cli/test-home.ts";

vi.setConfig({ testTimeout: 60_000 });

const here = (place: Place, ...argv: string[]) => runHere(place, argv);

interface Session extends AsyncDisposable {
  /** Everything that the client was sent, in order. */
  readonly received: Wire[];
  send(...messages: object[]): void;
  answerTo(id: number): Promise<Wire>;
  /** Closes the input and returns the exit code. */
  end(): Promise<unknown>;
}

function serve(place: Place, ...options: string[]): Session {
  const args = [mainFile, "serve", "--stdio", ...options];
  const child = spawn(process.execPath, args, {
    env: place.env,
    cwd: place.folder,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = once(child, "exit");
  const received: Wire[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => received.push(JSON.parse(line) as Wire));
  return {
    received,
    send: (...messages) =>
      void child.stdin.write(messages.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join("")),
    async answerTo(id) {
      await until(() => received.some((each) => each.id === id));
      return received.find((each) => each.id === id)!;
    },
    async end() {
      child.stdin.end();
      return (await ended)[0];
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function opening(name = "test"): object[] {
  const params = { protocolVersion: "2025-11-25", clientInfo: { name, version: "1" }, capabilities: {} };
  return [
    { id: 1, method: "initialize", params },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
  ];
}

function keptFiles(place: Place): string[] {
  try {
    return readdirSync(join(place.home, "openings")).map((name) => join(place.home, "openings", name));
  } catch {
    return [];
  }
}

/** A client that has been here before: its opening is kept. */
async function placeWithOpening(servers: object = { a: shelf("a-opening") }) {
  const place = await placeWith(servers);
  await here(place, "tools");
  const first = serve(place);
  first.send(...opening());
  await first.answerTo(2);
  expect(await first.end()).toBe(0);
  expect(keptFiles(place)).toHaveLength(1);
  return { place, file: keptFiles(place)[0]!, first: first.received };
}

/** Marks the kept list, which shows where an answer comes from. */
function mark(file: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("Puts a thing on the shelf.", "MARKED"));
}

test("a client that begins as before is answered from what was kept, once, without a server; calls go on as ever", async () => {
  const { place, first, file } = await placeWithOpening();
  await using _ = place;
  await using session = serve(place);
  session.send(...opening());
  await session.answerTo(2);
  expect(session.received).toEqual(first);
  expect(pidsRunning("a-opening")).toEqual([]);
  session.send({ id: 3, method: "tools/call", params: { name: "a__pid", arguments: {} } }, { id: 4, method: "ping" });
  expect(JSON.stringify((await session.answerTo(3)).result)).toMatch(/"text":"\d+"/);
  await session.answerTo(4);
  expect(new Set(session.received.map(({ id }) => id))).toEqual(new Set([1, 2, 3, 4]));
  expect(session.received).toHaveLength(4);
  expect(await session.end()).toBe(0);
  // That its server is stopped changes nothing for the next time.
  expect(keptFiles(place)).toEqual([file]);
});

test("a list that is not that of today is announced as changed, and the next client gets the right one at once", async () => {
  const { place, file, first } = await placeWithOpening();
  await using _ = place;
  mark(file);
  const session = serve(place);
  session.send(...opening());
  expect(JSON.stringify(await session.answerTo(2))).toContain("MARKED");
  await until(() => session.received.some(({ method }) => method === "notifications/tools/list_changed"));
  session.send({ id: 3, method: "tools/list" });
  expect((await session.answerTo(3)).result).toEqual(first.find(({ id }) => id === 2)!.result);
  expect(await session.end()).toBe(0);
  expect(readFileSync(file, "utf8")).not.toContain("MARKED");
});

test.each([
  ["another configuration", (place: Place) => writeConfig(place, { a: shelf("a-opening"), b: shelf("b-opening") })],
  ["new stored lists", (place: Place) => writeFileSync(join(place.home, "lists", "other.json"), "{}")],
  ["a configuration in the folder", (place: Place) => writeFileSync(join(place.folder, "clawport.json5"), "{}")],
])("with %s nothing that was kept is used", async (_, change) => {
  const { place, file } = await placeWithOpening();
  await using _place = place;
  mark(file);
  change(place);
  await using session = serve(place);
  session.send(...opening());
  expect(JSON.stringify(await session.answerTo(2))).not.toContain("MARKED");
});

function writeConfig(place: Place, servers: object): void {
  writeFileSync(join(place.home, "clawport.json5"), JSON.stringify({ servers }));
}

test("another client, other options or another folder get nothing that was kept for this one", async () => {
  const { place, file } = await placeWithOpening();
  await using _ = place;
  mark(file);
  const elsewhere = { ...place, folder: place.home };
  const sessions = [
    { session: serve(place), name: "other" },
    { session: serve(place, "--only", "a"), name: "test" },
    { session: serve(elsewhere), name: "test" },
  ];
  for (const { session, name } of sessions) {
    session.send(...opening(name));
    expect(JSON.stringify(await session.answerTo(2))).not.toContain("MARKED");
    expect(await session.end()).toBe(0);
  }
  // Both clients are known now.
  await using again = serve(place);
  again.send(...opening());
  expect(JSON.stringify(await again.answerTo(2))).toContain("MARKED");
});

test("the record of a hub that was killed is no reason to wait; a running hub answers itself", async () => {
  const { place, file } = await placeWithOpening();
  await using _ = place;
  const hub = await startHub(place, "--port", "0");
  mark(file);
  const relayed = serve(place);
  relayed.send(...opening());
  expect(JSON.stringify(await relayed.answerTo(2))).not.toContain("MARKED");
  expect(await relayed.end()).toBe(0);
  hub.child.kill("SIGKILL");
  await hub.ended;
  expect(existsSync(join(place.home, "hub.json"))).toBe(true);
  await using session = serve(place);
  session.send(...opening());
  expect(JSON.stringify(await session.answerTo(2))).toContain("MARKED");
});

test("messages that come in one piece with the opening, or in another order, are all served", async () => {
  const { place } = await placeWithOpening();
  await using _ = place;
  await using whole = serve(place);
  whole.send(...opening(), { id: 3, method: "tools/call", params: { name: "a__pid", arguments: {} } }, { id: 4 });
  expect((await whole.answerTo(3)).result).toMatchObject({ content: [{ type: "text" }] });
  await using other = serve(place);
  // The second request is not the one that came second before.
  other.send(opening()[0]!, { id: 7, method: "prompts/list" }, ...opening().slice(1));
  expect((await other.answerTo(7)).result).toEqual({ prompts: [] });
  expect((await other.answerTo(2)).result).toMatchObject({ tools: expect.any(Array) });
});

test("a client that leaves at once ends the process, and one that waits is served when it begins", async () => {
  const { place } = await placeWithOpening();
  await using _ = place;
  const leaving = serve(place);
  leaving.send(opening()[0]!);
  await leaving.answerTo(1);
  expect(await leaving.end()).toBe(0);
  expect(await serve(place).end()).toBe(0);
  await using late = serve(place);
  await new Promise((resolve) => setTimeout(resolve, 400));
  late.send(...opening());
  expect((await late.answerTo(2)).result).toMatchObject({ tools: expect.any(Array) });
});

test.each([
  ["is cut off", (file: string) => writeFileSync(file, readFileSync(file, "utf8").slice(0, -20))],
  ["is empty", (file: string) => writeFileSync(file, "")],
  ["is too large", (file: string) => writeFileSync(file, `${readFileSync(file, "utf8")}${" ".repeat(5_000_000)}`)],
  [
    "is a link",
    (file: string) => {
      renameSync(file, `${file}.other`);
      symlinkSync(`${file}.other`, file);
    },
  ],
])("a file that %s is not used", async (_, change) => {
  const { place, file, first } = await placeWithOpening();
  await using _place = place;
  mark(file);
  change(file);
  await using session = serve(place);
  session.send(...opening());
  await session.answerTo(2);
  expect(session.received).toEqual(first);
});

test("when a server's list changes, what was kept is removed", async () => {
  const { place, file } = await placeWithOpening();
  await using _ = place;
  await using session = serve(place);
  session.send(...opening());
  await session.answerTo(2);
  session.send({ id: 3, method: "ping" });
  await session.answerTo(3);
  writeConfig(place, { a: shelf("a-opening"), b: shelf("b-opening") });
  await until(() => session.received.some(({ method }) => method === "notifications/tools/list_changed"));
  await until(() => !keptFiles(place).includes(file));
  expect(keptFiles(place)).toEqual([]);
});

test("another value of a variable in the configuration gets nothing that was kept", async () => {
  const { place, file } = await placeWithOpening({ a: shelf("a-opening", "${SHELF_NAME:-one}") });
  await using _ = place;
  mark(file);
  expect(readFileSync(file, "utf8")).toContain("SHELF_NAME");
  await using same = serve(place);
  same.send(...opening());
  expect(JSON.stringify(await same.answerTo(2))).toContain("MARKED");
  mark(file);
  await using other = serve({ ...place, env: { ...place.env, SHELF_NAME: "secret-shelf" } });
  other.send(...opening());
  expect(JSON.stringify(await other.answerTo(2))).not.toContain("MARKED");
  expect(await other.end()).toBe(0);
  expect(readFileSync(file, "utf8")).not.toContain("secret-shelf");
});

test("a configuration that changes before its first answers are kept is not taken for the one they come from", async () => {
  await using place = await placeWith({ a: shelf("a-opening") });
  await here(place, "tools");
  const session = serve(place);
  session.send(...opening());
  await session.answerTo(1);
  writeConfig(place, {});
  await session.end();
  keptFiles(place).forEach(mark);
  await using next = serve(place);
  next.send(...opening());
  expect(JSON.stringify(await next.answerTo(2))).not.toContain("MARKED");
});

test("a kept file that can't be removed does not end the process", async () => {
  const { place, file } = await placeWithOpening();
  await using _ = place;
  rmSync(file);
  await mkdir(join(file, "full"), { recursive: true });
  await using session = serve(place);
  session.send(...opening());
  await session.answerTo(2);
  writeConfig(place, { a: shelf("a-opening"), b: shelf("b-opening") });
  await until(() => session.received.some(({ method }) => method === "notifications/tools/list_changed"));
  session.send({ id: 3, method: "ping" });
  await session.answerTo(3);
  expect(await session.end()).toBe(0);
});

test("a client that does not wait for its list before it says something else has it kept all the same", async () => {
  await using place = await placeWith({ a: shelf("a-opening") });
  const session = serve(place);
  session.send(...opening(), { id: 3, method: "ping" });
  await session.answerTo(3);
  expect(session.received.map(({ id }) => id)).not.toContain(2);
  await session.answerTo(2);
  // The list is for a client that has given its name.
  expect(session.received.map(({ id }) => id)).toEqual([3, 1, 2]);
  expect(await session.end()).toBe(0);
  expect(keptFiles(place)).toHaveLength(1);
});
