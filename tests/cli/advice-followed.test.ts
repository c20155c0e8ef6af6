import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Examined } from "../../src/hub/doctor/finding.ts";
import { openOAuthPlace } from "../oauth/open-oauth-place.ts";
import { canMount, mountSmallDisk } from "../setup/mount-small-disk.ts";
import { program } from "../setup/programs.ts";
import { listenHere } from "../support/listen-here.ts";
import { until } from "../support/until.ts";
import { clawport, isWindows, mainFile, makePlace, type Place, startHub } from "../support/cli/run-clawport.ts";
import { runProgram } from "../support/cli/run-shell.ts";
import { openTerminal } from "../support/cli/terminal.ts";
import { placeWith, runHere } from "../support/cli/test-home.ts";

vi.setConfig({ testTimeout: 120_000 });

async function complaintOf(place: Place, what: RegExp): Promise<Examined | undefined> {
  const { out } = await clawport(place, "doctor", "--json");
  return (JSON.parse(out) as { findings: readonly Examined[] }).findings.find((each) => what.test(each.what));
}

/** The words after `clawport`, without the remark in brackets. */
const wordsOf = (fix = ""): string[] =>
  fix
    .replace(/ {2}\(.*\)$/, "")
    .split(" ")
    .slice(1);

test("the advice about a sign-in, followed, ends the complaint", async () => {
  await using bench = await openOAuthPlace();
  await using _hub = await startHub(bench.place, "--port", "0");
  const complaint = /server one in the hub: .*sign-in/i;
  await until(async () => (await complaintOf(bench.place, complaint)) !== undefined, "the complaint");
  const found = await complaintOf(bench.place, complaint);
  expect(found?.fix).toBe("clawport auth one");
  expect((await bench.runWithBrowser("consent", ...wordsOf(found?.fix))).answer).toMatchObject({ signedIn: true });
  expect(await complaintOf(bench.place, complaint)).toBeUndefined();
});

test("the advice about a changed tool leads to the command that accepts it", async () => {
  await using place = await placeWith({});
  const offered = join(place.folder, "offered.json");
  const offer = (description: string) => writeFile(offered, JSON.stringify({ tools: [{ name: "calc", description }] }));
  const args = [program("tests/cli/fixtures/changing-server.ts"), offered];
  await offer("Adds numbers.");
  await place.configure({ rug: { command: process.execPath, args, start: "eager" } });
  {
    await using _hub = await startHub(place, "--port", "0");
    await until(async () => (await clawport(place, "tools")).out.includes("rug__calc"), "the first list");
  }
  await offer("Adds numbers, and more.");
  await using _hub = await startHub(place, "--port", "0");
  const complaint = /server rug: held back until you approve it: rug__calc/;
  await until(async () => (await complaintOf(place, complaint)) !== undefined, "the complaint");
  const shown = (await clawport(place, ...wordsOf((await complaintOf(place, complaint))?.fix))).out;
  expect(shown).toContain("rug__calc");
  const [, next = ""] = /`(clawport approve [^`]+)`/.exec(shown) ?? [];
  const terminal = openTerminal("y", "y");
  const accepted = await runHere(place, wordsOf(next.replace(/<\w+>/, "rug__calc")), terminal.world);
  expect(accepted.exit).toBe(0);
  expect(await complaintOf(place, complaint)).toBeUndefined();
});

test("the advice about a port that another program holds starts a hub", async () => {
  await using holder = await listenHere(createServer((_, response) => response.end()));
  await using place = await placeWith({});
  const { port } = new URL(holder.origin);
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify({ hub: { port: Number(port) } }));
  const complaint = new RegExp(`^port ${port} is used by .*${process.pid}`);
  const found = await complaintOf(place, complaint);
  const [command, ...options] = wordsOf(found?.fix?.replace("<port>", "0"));
  expect(command).toBe("up");
  await using hub = await startHub(place, ...options);
  expect(hub.ready.port).not.toBe(Number(port));
  expect(await complaintOf(place, complaint)).toBeUndefined();
});

test.skipIf(isWindows)("the advice about a hub of another version replaces it", async () => {
  await using place = await placeWith({});
  await using old = await startHub(place, "--port", "0");
  const record = join(place.home, "hub.json");
  const { version } = JSON.parse(await readFile(record, "utf8")) as { version: string };
  await writeFile(record, (await readFile(record, "utf8")).replace(`"${version}"`, '"0.0.1"'));
  const complaint = /the running hub is version 0\.0\.1/;
  const found = await complaintOf(place, complaint);
  expect(found?.fix).toBe(`kill ${old.ready.pid} && clawport up`);
  await replaceHub(place, found?.fix, complaint);
  await old.ended;
});

test.skipIf(isWindows)(
  "a hub that hangs is a complaint, to which status leads, and its advice replaces the hub",
  async () => {
    await using place = await placeWith({});
    await using hung = await startHub(place, "--port", "0");
    process.kill(hung.ready.pid, "SIGSTOP");
    const complaint = /the hub at .* does not answer/;
    const [status, found] = await Promise.all([clawport(place, "status"), complaintOf(place, complaint)]);
    expect(status.err).toContain("Run `clawport doctor` to see what helps.");
    expect(found).toMatchObject({ level: "fail", fix: `kill -9 ${hung.ready.pid} && clawport up` });
    await replaceHub(place, found?.fix, complaint);
  },
);

/** Follows advice that ends a hub and starts another. */
async function replaceHub(place: Place, fix: string | undefined, complaint: RegExp): Promise<void> {
  const advice = (fix ?? "").replace("clawport", `"${process.execPath}" "${mainFile}"`);
  const running = runProgram("sh", ["-c", `${advice} --port 0 --json`], { env: place.env, cwd: place.folder });
  try {
    await until(async () => (await complaintOf(place, /the hub runs at/)) !== undefined, "the new hub", 60_000);
    expect(await complaintOf(place, complaint)).toBeUndefined();
  } finally {
    await clawport(place, "stop");
    await running;
  }
}

const mounts = !isWindows && (await canMount());
test.skipIf(!mounts)("the advice about a full disk, followed, ends the complaint", async () => {
  await using disk = await mountSmallDisk("1m");
  await using place = await makePlace();
  const env = { ...place.env, CLAWPORT_HOME: disk.path };
  await disk.fill();
  const complaint = /the disk of .* is full/;
  const found = await complaintOf({ ...place, home: disk.path, env }, complaint);
  expect(found?.fix).toContain("(free some space)");
  const shown = await runProgram("sh", ["-c", found?.fix?.replace(/ {2}\(.*\)$/, "") ?? ""], { env });
  expect(shown.out).toContain("100%");
  await disk.free();
  expect(await complaintOf({ ...place, home: disk.path, env }, complaint)).toBeUndefined();
});
