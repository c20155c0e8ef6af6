import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { testSource } from "../support/test-source.ts";
import { startHub } from "../support/start-hub.ts";
import { startNode } from "./start-node.ts";

test("a hub offers this computer beside its other sources, if it is configured", async () => {
  const notes = testSource({ id: "notes", prefix: "notes", tools: ["add"] });
  await using hub = await startHub({ config: { machine: { enabled: true } }, sources: [notes] });
  expect(hub.hub.sources().map(({ id }) => id)).toEqual(expect.arrayContaining(["machine", "notes"]));
  expect(await hub.call("main", "system.which", { bins: ["git"] })).toContain("git");
  expect(await hub.call("main", "notes__add", {})).toBe("add");
  expect(await hub.call("main", "system.run", { command: ["id"] })).toContain("needs approval");
  expect(await hub.audit("system.run")).toMatchObject([{ source: "machine", outcome: "denied" }]);
});

test("a token for one source gives no access to this computer, and one for it to nothing else", async () => {
  const notes = testSource({ id: "notes", prefix: "notes", tools: ["add"] });
  await using hub = await startHub({ config: { machine: { enabled: true } }, sources: [notes] });
  await hub.token("phone", "notes");
  await hub.token("robot", "machine");
  expect(await hub.call("phone", "device.info", {})).toContain("RPC error");
  expect(await hub.call("robot", "add", {})).toContain("RPC error");
  expect(await hub.call("robot", "device.info", {})).toContain("deviceName");
});

test("without it a hub does not", async () => {
  await using hub = await startHub({});
  expect(hub.hub.sources().map(({ id }) => id)).not.toContain("machine");
});

test.runIf(process.platform === "linux")("many calls leave no process and no open file behind", async () => {
  await using node = await startNode({ approvals: { version: 1, defaults: { security: "full", ask: "off" } } });
  // One after the other, so that the client needs one connection only.
  const round = async (): Promise<void> => {
    await node.text("device.status");
    await node.text("system.which", { bins: ["git"] });
    await node.text("system.run", { command: ["true"] });
    await node.text("system.run", { command: ["sleep", "9"], timeoutMs: 20 });
    await node.text("system.run", { command: ["no-such-program"] });
    await node.text("system.notify", { title: "x" });
    await node.text("location.get");
  };
  await round();
  const files = (): number => readdirSync("/proc/self/fd").length;
  const children = (): number => readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isOurs(name)).length;
  const before = { files: files(), children: children() };
  for (let count = 0; count < 12; count++) await round();
  await expect.poll(() => [files() <= before.files, children() <= before.children]).toEqual([true, true]);
});

function isOurs(pid: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).length > 0 && parentOf(pid) === process.pid;
  } catch {
    return false;
  }
}

function parentOf(pid: string): number {
  const text = process.getBuiltinModule("node:fs").readFileSync(`/proc/${pid}/stat`, "latin1");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}
