import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTerminalAsker } from "../../src/cli/terminal/terminal-asker.ts";
import { textOf } from "../support/start-guard.ts";
import { postAtSocket } from "../support/hub-socket.ts";
import { until } from "../support/until.ts";
import { startApprovalHub } from "./approval-hub.ts";
import { placeWith, runHere, shelf } from "../support/cli/test-home.ts";
import { openIdleTerminal, openTerminal } from "../support/cli/terminal.ts";

test("an approval for phone's a.txt lets that call run once, and not /etc/shadow", async () => {
  await using hub = await startApprovalHub();
  const phone = await hub.caller("phone");
  expect((await phone("a.txt")).isError).toBe(true);
  const approved = await hub.atTerminal(["approve", "files__write_file"], "y");
  expect(approved.exit).toBe(0);
  expect((await phone("/etc/shadow")).isError).toBe(true);
  expect((await phone("a.txt")).isError).toBeUndefined();
  expect((await phone("a.txt")).isError).toBe(true);
  expect(hub.source.calls).toEqual([{ name: "write_file", args: { path: "a.txt" } }]);
});

test("with four callers waiting, one approval answers one of them", async () => {
  await using hub = await startApprovalHub();
  const callers = await Promise.all(["phone", "tablet", "laptop", "watch"].map((name) => hub.caller(name)));
  for (const call of callers) await call("a.txt");
  const ambiguous = await hub.atTerminal(["approve", "files__write_file"], "y");
  expect(ambiguous.exit).toBe(2);
  for (const shown of ["1", "2", "3", "4", "phone", "watch", "a.txt"]) expect(ambiguous.err).toContain(shown);
  expect((await hub.atTerminal(["approve", "2"], "y")).exit).toBe(0);
  const results = await Promise.all(callers.map((call) => call("a.txt")));
  expect(results.map(({ isError }) => isError)).toEqual([true, undefined, true, true]);
});

test("a refusal has nothing to type: a person finds the call in `clawport approvals` and in the hub's log", async () => {
  await using hub = await startApprovalHub();
  const phone = await hub.caller("phone");
  const refusal = textOf(await phone("a.txt"));
  expect(refusal).toContain("needs approval, but no one is available to approve it");
  expect(refusal).not.toMatch(/clawport|`|verdict/);
  const { out } = await hub.run("approvals");
  expect(out).toMatch(/^Refused, because no one answered:\nID.*\n1 +files__write_file +phone/);
  // The call is over.
  expect(out).not.toMatch(/wait/i);
  const listed = JSON.parse((await hub.run("approvals", "--json")).out) as object;
  expect(listed).toMatchObject({ waiting: [], refused: [{ id: "1", name: "files__write_file" }] });
  expect(hub.logged.join("\n")).toContain("clawport approve 1");
});

test("a question in the hub's terminal is listed, and an answer from another terminal takes it away", async () => {
  const terminal = openIdleTerminal();
  await using hub = await startApprovalHub({ askers: [createTerminalAsker(terminal.world)] });
  const phone = await hub.caller("phone");
  const result = phone("a.txt");
  await until(() => terminal.shown().includes("Allow it?"));
  expect(terminal.shown()).toContain("[1] token phone (mcp-http) asks to use files__write_file from files.");
  const { out } = await hub.run("approvals");
  expect(out).toMatch(/^Waiting for approval:\nID.*\n1 +files__write_file +phone +waits until/);
  expect(out).not.toContain("Refused");
  const listed = JSON.parse((await hub.run("approvals", "--json")).out) as object;
  expect(listed).toMatchObject({ waiting: [{ id: "1" }], refused: [] });
  expect((await hub.atTerminal(["approve", "1"], "y")).out).toBe("Call 1 is allowed once.\n");
  expect((await result).isError).toBeUndefined();
  expect(terminal.shown()).toMatch(/Allow it\? \(y = once, n = no, always, never\) \(answered elsewhere: once\)\n$/);
  expect((await hub.run("approvals")).out).toContain("nothing waits for approval");
});

test("without a hub, a question in the terminal of a call is answered from another one, too", async () => {
  await using place = await placeWith({});
  const config = { servers: { shelf: shelf("one") }, policy: { rules: [{ tool: "shelf__put", verdict: "ask" }] } };
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify(config));
  const terminal = openIdleTerminal();
  const called = runHere(place, ["call", "shelf__put", "thing=cup"], terminal.world);
  await until(() => terminal.shown().includes("Allow it?"));
  expect((await runHere(place, ["approvals"])).out).toMatch(/1 +shelf__put +cli +waits until/);
  expect((await runHere(place, ["approve", "shelf__put"], openTerminal("y").world)).exit).toBe(0);
  expect(await called).toMatchObject({ exit: 0, out: '{"thing":"cup"}\n' });
  expect(terminal.shown()).toContain("(answered elsewhere: once)");
});

test.each([
  ["y", 0],
  ["yes", 0],
  ["always", 0],
  ["n", 77],
  ["no", 77],
])("if the hub has no terminal, the caller's asks: %j exits with %d", async (typed, exit) => {
  await using hub = await startApprovalHub();
  const called = await hub.atTerminal(["call", "files__write_file", "path=a.txt"], typed);
  expect(called.err).toContain('Arguments: {"path":"a.txt"}\nAllow it? (y = once, n = no, always, never) ');
  expect(called.exit).toBe(exit);
  const { approvals, waiting, refused } = JSON.parse((await hub.run("approvals", "--json")).out) as Record<
    string,
    unknown[]
  >;
  expect([approvals?.length, waiting, refused]).toEqual([typed === "always" ? 1 : 0, [], []]);
});

test("the question at the caller's terminal is answered from another one, too", async () => {
  await using hub = await startApprovalHub();
  const terminal = openIdleTerminal();
  const called = runHere(hub.place, ["call", "files__write_file", "path=a.txt"], terminal.world);
  await until(() => terminal.shown().includes("Allow it?"));
  expect((await hub.atTerminal(["approve", "1"], "y")).exit).toBe(0);
  expect((await called).exit).toBe(0);
  expect(terminal.shown()).toContain("(no longer needed)");
});

test("if the hub has a terminal, the caller's says where to answer", async () => {
  const hubTerminal = openIdleTerminal();
  await using hub = await startApprovalHub({ askers: [createTerminalAsker(hubTerminal.world)] });
  const terminal = openIdleTerminal();
  const called = runHere(hub.place, ["call", "files__write_file", "path=a.txt"], terminal.world);
  await until(() => terminal.shown().includes("Waiting for approval"));
  expect(terminal.shown()).toContain("Answer in the hub's terminal, or with `clawport approve 1`.");
  expect(terminal.shown()).not.toContain("Allow it?");
  await until(() => hubTerminal.shown().includes("Allow it?"));
  hubTerminal.type("yes");
  expect((await called).exit).toBe(0);
});

test("a call without a terminal is refused, with nothing to type", async () => {
  await using hub = await startApprovalHub();
  const called = await hub.run("call", "files__write_file", "path=a.txt");
  expect(called.exit).toBe(77);
  expect(called.err).toContain("needs approval, but no one is available to approve it");
  expect(called.err).not.toContain("clawport approve");
});

test.each([
  ["state-folder", true, 0],
  ["state-folder", false, 77],
  ["flag", true, 0],
  ["working-folder", true, 77],
] as const)("--yes without a terminal: %s, unattendedApprovals %s", async (location, unattendedApprovals, exit) => {
  await using hub = await startApprovalHub({ location, policy: { unattendedApprovals } });
  const phone = await hub.caller("phone");
  await phone("a.txt");
  const plain = await hub.run("approve", "1");
  expect(plain).toMatchObject({ exit: 77, err: expect.stringContaining("needs a person who confirms it") as string });
  expect((await hub.run("approve", "1", "--yes")).exit).toBe(exit);
  expect((await phone("a.txt")).isError).toBe(exit === 0 ? undefined : true);
});

test("the control API refuses an approval that no person confirmed", async () => {
  await using hub = await startApprovalHub();
  await (
    await hub.caller("phone")
  )("a.txt");
  const approve = async (body: object): Promise<number> => {
    return (await postAtSocket(hub.place.home, "/control/approvals.approve", body)).status;
  };
  expect(await approve({ id: "1" })).toBe(403);
  expect(await approve({ id: "1", answer: "always" })).toBe(403);
  expect(await approve({ id: "1", confirmed: "yes" })).toBe(400);
  expect(await approve({ id: "1", confirmed: true })).toBe(200);
  expect(await approve({ id: "1", confirmed: true })).toBe(404);
});

test("a lasting yes is not for a server of the same name in a folder, nor for another program of that name", async () => {
  await using place = await placeWith({});
  const policy = { rules: [{ tool: "shelf__put", verdict: "ask" }] };
  const write = (path: string, ...flags: string[]) =>
    writeFile(join(path, "clawport.json5"), JSON.stringify({ servers: { shelf: shelf(...flags) }, policy }));
  const call = async (...answers: string[]) => {
    const terminal = openTerminal(...answers);
    const { exit } = await runHere(place, ["call", "shelf__put", "thing=cup", "--trust"], terminal.world);
    return [exit, terminal.shown().includes("Allow it?")];
  };
  await write(place.home, "one");
  expect(await call("always")).toEqual([0, true]);
  expect(await call()).toEqual([0, false]);
  await write(place.home, "other");
  expect(await call("n")).toEqual([77, true]);
  await write(place.home, "one");
  expect(await call()).toEqual([0, false]);
  await write(place.folder, "one");
  expect(await call("n")).toEqual([77, true]);
});

test("approve shows all of a call, and takes the yes after the last page", async () => {
  await using hub = await startApprovalHub();
  const phone = await hub.caller("phone");
  const script = `bash -c 'TOKEN=$(touch\${IFS}/x) ls /srv/docs'; ${"true; ".repeat(5000)}rm x`;
  await phone(script);
  expect((await hub.run("approvals")).out).not.toContain("touch");
  const unread = await hub.atTerminal(["approve", "1"], "y", "yes", "n");
  expect([unread.exit, (await phone(script)).isError]).toEqual([130, true]);
  expect(unread.err).not.toContain("Allow this call once?");
  const read = await hub.atTerminal(["approve", "1"], "", "a", "y");
  expect(read.exit).toBe(0);
  expect(read.err.replaceAll(/\n\(page.*?\) /g, "")).toContain(JSON.stringify(script));
  expect((await phone(script)).isError).toBeUndefined();
});

test("the terminal of the call shows what is in a field with a secret's name", async () => {
  await using hub = await startApprovalHub();
  const called = await hub.atTerminal(["call", "files__write_file", "password=hunter22", "cookie=$(id)"], "n");
  expect(called.err).toContain('Arguments: {"password":"hunter22","cookie":"$(id)"}\nAllow it?');
});
