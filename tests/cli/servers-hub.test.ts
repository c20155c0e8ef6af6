import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { isWindows, type Place, type RunningHub, startHub } from "../support/cli/run-clawport.ts";
import { isAlive, placeWith, runHere, shelf } from "../support/cli/test-home.ts";
import { openTerminal } from "../support/cli/terminal.ts";
import { until } from "../support/until.ts";

vi.setConfig({ testTimeout: 60_000 });

const here = (place: Place, ...argv: string[]) => runHere(place, argv);

/** Waits for the server: the hub is ready before all of its servers are, and wakes none by itself. */
async function pidOf(place: Place, name: string): Promise<number | undefined> {
  await here(place, "connect", name);
  let pid: number | undefined;
  await until(async () => {
    const { servers } = JSON.parse((await here(place, "status", name, "--json")).out) as {
      servers: { pid?: number }[];
    };
    pid = servers[0]?.pid;
    return pid !== undefined;
  });
  return pid;
}

async function end(hub: RunningHub): Promise<void> {
  hub.child.kill("SIGINT");
  await hub.ended;
}

test("commands use the running hub: one server process serves them all, disconnect ends it and connect starts it", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  await using hub = await startHub(place, "--port", "0");
  const pid = await pidOf(place, "shelf");
  expect((await here(place, "call", "shelf__pid")).out).toBe(`${pid}\n`);
  expect((await here(place, "tools")).out).toContain("shelf__put      Puts a thing on the shelf.");
  expect((await here(place, "servers")).err).toBe("");
  expect(JSON.parse((await here(place, "servers", "--json")).out)).toMatchObject({
    hub: `http://127.0.0.1:${hub.ready.port}`,
    servers: [{ name: "shelf", pid }],
  });
  expect((await here(place, "refresh")).out).toBe("shelf: 7 tools\n");
  expect((await here(place, "logs", "shelf")).out).toBe("shelf: open, as one\n");

  const headers = { authorization: `Bearer ${(await readFile(hub.ready.tokenPath, "utf8")).trim()}` };
  const metrics = await (await fetch(new URL("/metrics", hub.ready.url), { headers })).text();
  expect(metrics).toContain('clawport_servers{state="ready"} 1\n');
  expect(metrics).toContain('clawport_servers{state="reconnecting"} 0\n');
  expect(metrics).toContain('clawport_calls_total{door="cli",source="shelf",outcome="ok"} 1\n');

  expect((await here(place, "disconnect", "shelf")).out).toContain("It stays configured");
  expect(isAlive(pid!)).toBe(false);
  expect((await here(place, "servers")).out).toContain("shelf: Disconnected (run `clawport connect shelf`)");
  const gone = await here(place, "call", "shelf__pid");
  expect(gone).toMatchObject({ exit: 3 });
  expect(gone.err).toContain(
    "These servers are not connected, so their tools are unknown: shelf (run `clawport connect shelf`).",
  );
  expect((await here(place, "connect", "shelf")).out).toContain("Running (PID");
  expect((await here(place, "call", "shelf__pid")).out).not.toBe(`${pid}\n`);
  await end(hub);
});

test("a policy rule for the command line applies with a hub and without", async () => {
  await using place = await placeWith({});
  const rules = [{ door: "cli", tool: "shelf__pid", verdict: "deny" }];
  const config = { servers: { shelf: shelf("one") }, policy: { rules } };
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify(config));
  const alone = await here(place, "call", "shelf__pid");
  await using hub = await startHub(place, "--port", "0");
  await pidOf(place, "shelf");
  const relayed = await here(place, "call", "shelf__pid");
  expect(alone).toMatchObject({ exit: 77, out: "" });
  expect(alone.err).toContain("policy.rules[0]");
  expect(relayed).toEqual(alone);
  const told = await here(place, "call", "shelf__pid", "--json");
  expect([told.exit, JSON.parse(told.out)]).toMatchObject([77, { error: { code: "denied" } }]);
  await end(hub);
});

test("tokens and approvals are managed through the running hub", async () => {
  await using place = await placeWith({});
  const config = { servers: { shelf: shelf("one") }, policy: { rules: [{ tool: "shelf__pid", verdict: "ask" }] } };
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify(config));
  await using hub = await startHub(place, "--port", "0");
  await pidOf(place, "shelf");
  expect(await here(place, "call", "shelf__pid")).toMatchObject({ exit: 77, out: "" });
  const listed = JSON.parse((await here(place, "approvals", "--json")).out) as object;
  expect(listed).toMatchObject({ waiting: [], refused: [{ name: "shelf__pid" }] });
  const approve = () => runHere(place, ["approve", "shelf__pid", "--always"], openTerminal("y").world);
  expect(await approve()).toMatchObject({ exit: 0 });
  expect(await here(place, "call", "shelf__pid")).toMatchObject({ exit: 0 });
  expect(await here(place, "approvals", "forget", "shelf__pid")).toMatchObject({ exit: 0 });
  expect(await approve()).toMatchObject({ exit: 3, out: "" });
  expect(await here(place, "token", "add", "phone", "--view", "shlf")).toMatchObject({ exit: 2 });
  expect((await here(place, "token", "add", "phone", "--view", "shelf")).out).toMatch(/^[\w-]{43}\n$/);
  expect((await here(place, "token", "list")).out).toMatch(/^phone +shelf/m);
  expect(await here(place, "token", "remove", "phone")).toMatchObject({ exit: 0 });
  expect((await here(place, "sessions", "--json")).out).toBe("[]\n");
  await end(hub);
});

test("a configuration in the working folder is not the hub's, and a hint says so", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  await using hub = await startHub(place, "--port", "0");
  await pidOf(place, "shelf");
  const own = join(place.folder, "clawport.json5");
  await writeFile(own, JSON.stringify({ servers: { other: shelf("two") } }));
  const plain = await here(place, "servers");
  expect(plain.out).toContain("shelf");
  expect(plain.err).toContain(
    `not ${own}. To use that file instead, check what is in it, then add \`--config clawport.json5\`.`,
  );
  const named = await here(place, "servers", "--config", "clawport.json5", "--trust");
  expect(named.out).toContain("other");
  expect(named.err).not.toContain("add --config");
  await end(hub);
});

test("an edit of the configuration restarts only the servers that changed", async () => {
  await using place = await placeWith({ same: shelf("same"), changes: shelf("before"), goes: shelf("goes") });
  await using hub = await startHub(place, "--port", "0");
  const [same, changes, goes] = await Promise.all(["same", "changes", "goes"].map((name) => pidOf(place, name)));
  await place.configure({ same: shelf("same"), changes: shelf("after"), comes: shelf("comes") });
  await until(async () => (await here(place, "tools")).out.includes("comes__put"));
  await until(async () => (await here(place, "logs", "changes")).out.includes("as after"));
  expect(await pidOf(place, "same")).toBe(same);
  expect(isAlive(changes!)).toBe(false);
  expect(isAlive(goes!)).toBe(false);
  expect((await here(place, "status", "goes")).exit).toBe(3);
  await end(hub);
});

test("connect adds a server to the hub's configuration, and the hub runs it before the answer is printed", async () => {
  await using place = await placeWith({});
  await using hub = await startHub(place, "--port", "0");
  const { command, args } = shelf("new");
  const added = await here(place, "connect", "--name", "shelf", "--", command, ...args);
  expect(added).toMatchObject({ exit: 0 });
  expect(await readFile(join(place.home, "clawport.json5"), "utf8")).toContain("shelf-server");
  const pid = (await pidOf(place, "shelf"))!;
  expect(isAlive(pid)).toBe(true);
  expect((await here(place, "call", "shelf__pid")).exit).toBe(0);
  const refused = await here(place, "connect", "--name", "agent", "--", command, "other");
  expect(refused.exit).toBe(2);
  expect(await readFile(join(place.home, "clawport.json5"), "utf8")).not.toContain("agent");
  const again = await here(place, "connect", "--", command, ...args);
  expect(again.out).not.toContain("Added");
  const typo = await here(place, "connect", "no-such-program");
  expect(typo.err).toContain("It was not added to");
  await here(place, "disconnect", "shelf");
  const removed = await here(place, "disconnect", "shelf", "--remove");
  expect(removed.out).toContain("Removed shelf from");
  expect(isAlive(pid)).toBe(false);
  expect((await here(place, "status", "shelf")).exit).toBe(3);
  await place.configure({ shelf: shelf("back") });
  await until(async () => (await here(place, "tools")).out.includes("shelf__put"));
  await end(hub);
  expect(isAlive(pid)).toBe(false);
});

test.skipIf(isWindows)("the next start ends what a killed hub left behind (needs POSIX signals)", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  const hub = await startHub(place, "--port", "0");
  const pid = await pidOf(place, "shelf");
  // A stopped process does not see its input end, so only the next hub can end it.
  process.kill(pid!, "SIGSTOP");
  await hub[Symbol.asyncDispose]();
  await using next = await startHub(place, "--port", "0");
  await until(() => !isAlive(pid!));
  expect(await pidOf(place, "shelf")).not.toBe(pid);
  await end(next);
});

test("doctor reports the status of the hub's servers", async () => {
  await using place = await placeWith({ shelf: shelf("one"), gone: { command: "no-such-program" } });
  await using hub = await startHub(place, "--port", "0");
  const { out, exit } = await here(place, "doctor");
  expect(out).toMatch(/✓ server shelf in the hub: Running \(PID \d+\), 7 tools/);
  expect(out).toMatch(/! server gone in the hub: Reconnecting.*was not found/);
  expect(exit).toBe(1);
  await end(hub);
});

test("a server's question goes through the hub to the user who made the call, and the answer back", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  await using hub = await startHub(place, "--port", "0");
  const terminal = openTerminal("y", "2", "0", "3");
  const { out } = await runHere(place, ["call", "shelf__ask"], terminal.world);
  expect(JSON.parse(out)).toEqual({ action: "accept", content: { colour: "blue", many: 3 } });
  expect(terminal.shown()).toContain("The server asks: Which?");
  expect(terminal.shown()).toContain("  1) red\n  2) blue\n");
  await end(hub);
});
