import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAudit } from "../../src/catalog/audit/read-audit.ts";
import { clawport, makePlace, type Place, startHub } from "../support/cli/run-clawport.ts";
import { until } from "../support/until.ts";
import { canMount, mountSmallDisk, type SmallDisk } from "../setup/mount-small-disk.ts";
import { program } from "../setup/programs.ts";

const serverFile = program("tests/guard/counting-server.ts");
const isPossible = await canMount();

interface FullPlace extends AsyncDisposable {
  readonly place: Place;
  readonly disk: SmallDisk;
  /** How many calls the server has run. */
  executions(): Promise<number>;
}

/** A state folder on a small disk, with a server that counts its calls elsewhere. */
async function makeFullPlace(audit: object, more: object = {}): Promise<FullPlace> {
  const made = await makePlace();
  const disk = await mountSmallDisk("512k");
  const home = join(disk.path, "state");
  const place = { ...made, home, env: { ...made.env, CLAWPORT_HOME: home } };
  const counted = join(made.folder, "executions");
  const servers = { counting: { command: process.execPath, args: [serverFile, counted] } };
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, "clawport.json5"), JSON.stringify({ servers, audit, ...more }));
  return {
    place,
    disk,
    executions: async () => (await readFile(counted, "utf8").catch(() => "")).split("\n").length - 1,
    async [Symbol.asyncDispose]() {
      await disk[Symbol.asyncDispose]();
      await made[Symbol.asyncDispose]();
    },
  };
}

async function linesOf(place: Place): Promise<number> {
  let lines = 0;
  for await (const { tool } of readAudit({ file: join(place.home, "audit", "calls.jsonl") }))
    if (tool === "counting__count") lines++;
  return lines;
}

const call = (place: Place, id: string) => clawport(place, "call", "counting__count", `id=${id}`);

test.skipIf(!isPossible)(
  "on a full disk calls go on, and status, doctor and metrics say how many records are lost",
  async () => {
    await using made = await makeFullPlace({});
    const { place, disk } = made;
    await using hub = await startHub(place, "--port", "0");
    expect((await call(place, "first")).exit).toBe(0);
    const token = await readFile(hub.ready.tokenPath, "utf8");
    const config = await readFile(join(place.home, "clawport.json5"), "utf8");
    await disk.fill();
    // The last block of the file may still have room for some lines.
    for (let index = 0; index < 40; index++)
      expect((await fetchCall(hub.ready.url, token.trim(), `${index}`)).ok).toBe(true);
    const lost = (await made.executions()) - (await linesOf(place));
    expect(lost).toBeGreaterThan(0);
    const text = `the audit can't be written: ${lost} calls are missing from the audit since the start`;
    const status = await clawport(place, "status", "--json");
    expect(JSON.parse(status.out)).toMatchObject({
      hub: { auditLoss: { lines: lost, isFailing: true } },
      attention: [{ kind: "audit", message: text }],
    });
    expect((await clawport(place, "doctor")).out).toContain(text);
    const metrics = await fetch(hub.ready.url.replace(/mcp$/, "metrics"), {
      headers: { authorization: `Bearer ${token.trim()}` },
    });
    expect(await metrics.text()).toContain(`clawport_audit_lost_total ${lost}`);

    hub.child.kill("SIGKILL");
    await hub.ended;
    await using second = await startHub(place, "--port", "0");
    expect((await fetchCall(second.ready.url, token.trim(), "second")).ok).toBe(true);
    expect(await readFile(second.ready.tokenPath, "utf8")).toBe(token);
    expect(await readFile(join(place.home, "clawport.json5"), "utf8")).toBe(config);
    second.child.kill("SIGTERM");
    await second.ended;
    await using third = await startHub(place, "--port", "0");
    await disk.free();
    const isFound = async () =>
      JSON.parse((await clawport(place, "status", "--json")).out).hub?.pid === third.ready.pid;
    await until(isFound, "the hub to be found", 30_000);
    const before = await linesOf(place);
    await call(place, "again");
    expect(await linesOf(place)).toBe(before + 1);
  },
  120_000,
);

test.skipIf(!isPossible)(
  "with audit.required a call that can't be recorded is refused, and every call that ran has a line",
  async () => {
    await using made = await makeFullPlace({ required: true });
    const { place, disk } = made;
    await using hub = await startHub(place, "--port", "0");
    expect((await call(place, "first")).exit).toBe(0);
    const token = (await readFile(hub.ready.tokenPath, "utf8")).trim();
    await disk.fill();
    let refused = 0;
    for (let index = 0; index < 40; index++) if (!(await fetchCall(hub.ready.url, token, `${index}`)).ok) refused++;
    expect(refused).toBeGreaterThan(0);
    expect((await fetchCall(hub.ready.url, token, "no")).text).toContain("can't be recorded");
    expect(await made.executions()).toBe(41 - refused);
    await disk.free();
    expect((await fetchCall(hub.ready.url, token, "yes")).ok).toBe(true);
    let ran = 0;
    for await (const { outcome } of readAudit({ file: join(place.home, "audit", "calls.jsonl") }))
      if (outcome === "ok") ran++;
    expect(ran).toBe(await made.executions());
  },
  120_000,
);

test.skipIf(!isPossible)(
  "the first start of this version works on a full disk; commands say why they can't reach it, and do once there is space",
  async () => {
    await using made = await makeFullPlace({}, { apps: { serve: true, show: true, port: 0 } });
    const { place, disk } = made;
    const first = await startHub(place, "--port", "0");
    expect((await call(place, "first")).exit).toBe(0);
    const token = (await readFile(first.ready.tokenPath, "utf8")).trim();
    first.child.kill("SIGKILL");
    await first.ended;
    // What earlier versions did not have.
    for (const name of ["control.key", "relay.key", "hub.sock", "apps", "audit/open"])
      for (const path of [name, `${name}.lock`]) await rm(join(place.home, path), { recursive: true, force: true });
    await disk.fill();

    await using hub = await startHub(place, "--port", "0");
    expect((await fetchCall(hub.ready.url, token, "full")).ok).toBe(true);
    const full = await call(place, "no");
    expect(full.exit).not.toBe(0);
    expect(full.err).toContain("The disk is full");
    expect(full.err).toContain("Free some space");
    expect((await clawport(place, "doctor")).out).toContain("is full");
    await disk.free();
    await until(async () => (await call(place, "yes")).exit === 0, "the command to reach the hub", 30_000);
    expect((await readFile(join(place.home, "relay.key"), "utf8")).trim()).toHaveLength(43);
    expect((await readFile(join(place.home, "apps", "token.txt"), "utf8")).trim()).toHaveLength(43);
    expect((await stat(join(place.home, "control.key"))).mode & 0o777).toBe(0o600);
  },
  120_000,
);

async function fetchCall(
  url: string,
  token: string,
  id: string,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "counting__count", arguments: { id } },
    }),
  });
  const text = await response.text();
  return { ok: text.includes('"content"') && !text.includes('"isError":true'), text };
}
