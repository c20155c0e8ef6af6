import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Home, openHome } from "../../core/files/home.ts";
import { silentLog } from "../../core/log.ts";
import { hubFiles } from "./hub-files.ts";
import { claimHub, findRunningHub, findRunningProcess, removeHubRecord, writeHubRecord } from "./hub-record.ts";
import { stopHub } from "../stop-hub.ts";

let home: Home;
beforeEach(async () => {
  home = await openHome(await mkdtemp(join(tmpdir(), "claim-")));
});
afterEach(() => rm(home.path, { recursive: true, force: true }));

const facts = { address: "http://127.0.0.1:8765", version: "1.2.3", startedAt: "2026-01-01T00:00:00.000Z" };

test("a second claim is told where the first one runs", async () => {
  const claim = await claimHub(home, silentLog);
  await writeHubRecord(home, facts);
  await expect(claimHub(home, silentLog)).rejects.toMatchObject({
    code: "conflict",
    message: `the hub is already running at http://127.0.0.1:8765/mcp; use it, or stop it with \`clawport stop\``,
  });
  await claim.release();
});

test("if OpenClaw's gateway keeps the servers, a claim says so, and nothing stops the gateway", async () => {
  const claim = await claimHub(home, silentLog);
  await writeHubRecord(home, { ...facts, host: "openclaw" });
  const conflict = { code: "conflict", message: expect.stringContaining("OpenClaw's gateway") as string };
  await expect(claimHub(home, silentLog)).rejects.toMatchObject(conflict);
  await expect(stopHub(home, new AbortController().signal)).rejects.toMatchObject(conflict);
  await claim.release();
});

test("of many claims at one moment one succeeds, and every other learns its address", async () => {
  const claims = Array.from({ length: 8 }, async () => {
    const claim = await claimHub(home, silentLog);
    await writeHubRecord(home, facts);
    return claim;
  });
  const outcomes = await Promise.allSettled(claims);
  const winners = outcomes.filter((outcome) => outcome.status === "fulfilled");
  const losers = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(winners).toHaveLength(1);
  expect(losers.map(({ reason }) => (reason as { code: string }).code)).toEqual(Array(7).fill("conflict"));
  await Promise.all(winners.map(({ value }) => value.release()));
});

test("once released, the home can be claimed again", async () => {
  const first = await claimHub(home, silentLog);
  await writeHubRecord(home, facts);
  await removeHubRecord(home);
  await first.release();
  const second = claimHub(home, silentLog);
  await expect(second).resolves.toBeDefined();
  await (await second).release();
});

test("the record of a killed process, and one that is no record, say that no hub runs", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await once(child, "spawn");
  const mine = await writeHubRecord(home, facts);
  expect(await findRunningHub(home)).toEqual(mine);
  await writeFile(hubFiles.record(home), JSON.stringify({ ...mine, pid: child.pid }));
  expect(await findRunningHub(home), "another process under that pid").toBeUndefined();
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await findRunningHub(home)).toBeUndefined();
  await writeFile(hubFiles.record(home), '{"pid": "x"}');
  expect(await findRunningHub(home)).toBeUndefined();
});

test("a node without an address is found to be stopped, but not to be talked to", async () => {
  const claim = await claimHub(home, silentLog);
  const { address: _, ...rest } = facts;
  const record = await writeHubRecord(home, rest);
  expect(await findRunningHub(home)).toBeUndefined();
  expect(await findRunningProcess(home)).toEqual(record);
  await expect(claimHub(home, silentLog)).rejects.toMatchObject({
    code: "conflict",
    message: `a node of this state folder is already running (PID ${process.pid}); stop it with \`clawport stop\``,
  });
  await claim.release();
});
