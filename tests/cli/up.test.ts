import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { type AddressInfo, createServer, connect } from "node:net";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createHubCaller } from "../doors/long/call-hub.ts";
import { clawport, isWindows, listTools, makePlace, startHub } from "../support/cli/run-clawport.ts";
import { placeWith } from "../support/cli/test-home.ts";
import { until } from "../support/until.ts";
import { program } from "../setup/programs.ts";

vi.setConfig({ testTimeout: 60_000 });

const tokenOf = async (path: string): Promise<string> => (await readFile(path, "utf8")).trim();

test.skipIf(isWindows)(
  "a hub without configuration serves clients with its token, and Ctrl-C stops it cleanly (needs POSIX signals)",
  async () => {
    await using place = await makePlace();
    await using hub = await startHub(place, "--port", "0");
    const { url, tokenPath, pid } = hub.ready;
    expect(await listTools(url, await tokenOf(tokenPath))).toBe(200);
    expect(await listTools(url, "wrong")).toBe(401);
    expect(JSON.parse(await readFile(join(place.home, "hub.json"), "utf8"))).toMatchObject({
      pid,
      address: new URL(url).origin,
    });

    hub.child.kill("SIGINT");
    expect(await hub.ended).toBe(0);
    expect(existsSync(join(place.home, "hub.json"))).toBe(false);
  },
);

test("a second start prints where the hub runs; after a kill -9 the next one starts", async () => {
  await using place = await makePlace();
  await using hub = await startHub(place, "--port", "0");
  const { url, pid } = hub.ready;
  const message = `the hub is already running at ${url}; use it, or stop it with \`clawport stop\``;
  expect(await clawport(place, "up")).toEqual({ exit: 1, out: "", err: `clawport: ${message}\n` });
  expect(JSON.parse((await clawport(place, "up", "--json")).out)).toMatchObject({
    error: { code: "conflict", message },
  });

  hub.child.kill("SIGKILL");
  await hub.ended;
  await using next = await startHub(place, "--port", "0");
  expect(next.ready.pid).not.toBe(pid);
});

test("of three simultaneous starts one becomes the hub and the others point to it", async () => {
  await using place = await makePlace();
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => startHub(place, "--port", "0")));
  const hubs = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : []));
  for (const hub of hubs) await hub[Symbol.asyncDispose]();
  expect(hubs).toHaveLength(1);
  const { url } = hubs[0]!.ready;
  const message = `the hub is already running at ${url}; use it, or stop it with \`clawport stop\``;
  expect(refusals).toEqual(Array(2).fill(`Error: ended with 1: ${message}`));
});

test("if another program uses the configured port, the next free one is used, shown and recorded", async () => {
  await using place = await placeWith({});
  const stranger = createServer().listen(0, "127.0.0.1");
  await once(stranger, "listening");
  const { port: taken } = stranger.address() as AddressInfo;
  try {
    const given = await clawport(place, "up", "--port", String(taken));
    const who =
      process.platform === "linux" ? `of the user .+ \\(UID ${process.getuid?.()}\\), PID ${process.pid}` : "";
    expect(given).toMatchObject({ exit: 1, out: "" });
    expect(given.err).toMatch(
      new RegExp(`Port ${taken} is in use by another program ?${who}\\. Choose another with --port`),
    );
    await writeFile(join(place.home, "clawport.json5"), `{ hub: { port: ${taken} } }`);
    await using hub = await startHub(place);
    expect(hub.ready.port).toBeGreaterThan(taken);
    expect(JSON.parse(await readFile(join(place.home, "hub.json"), "utf8"))).toMatchObject({
      address: `http://127.0.0.1:${hub.ready.port}`,
    });
  } finally {
    stranger.close();
  }
});

test("a running hub accepts a reset token at once, and no longer the old one", async () => {
  await using place = await makePlace();
  await using hub = await startHub(place, "--port", "0");
  const { url, tokenPath } = hub.ready;
  const before = await tokenOf(tokenPath);
  expect((await clawport(place, "token", "reset")).exit).toBe(0);
  await until(async () => (await listTools(url, await tokenOf(tokenPath))) === 200);
  expect(await listTools(url, before)).toBe(401);
});

test.skipIf(isWindows)(
  "Ctrl-C lets a request in progress finish; a second Ctrl-C does not (needs POSIX signals)",
  async () => {
    const file = program("tests/doors/long/waiting-server.ts");
    await using place = await placeWith({ slow: { command: process.execPath, args: [file] } });
    await using hub = await startHub(place, "--port", "0");
    const { port, tokenPath } = hub.ready;
    using caller = createHubCaller(port, await tokenOf(tokenPath));
    await until(async () => (await caller.call("slow__echo")) === "ok");
    const call = caller.call("slow__wait", { ms: 60_000 });
    await until(async () => (await metricsOf(hub.ready)).includes(`clawport_queue_length{queue="mcp-http"} 1`));
    hub.child.kill("SIGINT");
    await until(() => refused(port));
    hub.child.kill("SIGINT");
    expect(await hub.ended).toBe(130);
    expect(await call).not.toBe("ok");
  },
);

test("a configuration in the folder that starts commands is not used until it is trusted", async () => {
  await using place = await makePlace();
  const file = join(place.folder, "clawport.json5");
  await writeFile(file, "{ hub: { port: 0 }, servers: { evil: { command: 'rm', args: ['-rf'] } } }");
  const refusedStart = await clawport(place, "up");
  expect(refusedStart).toMatchObject({ exit: 77, out: "" });
  expect(refusedStart.err).toContain("--trust");
  const trusting = await startHub(place, "--trust");
  await trusting[Symbol.asyncDispose]();
  await using again = await startHub(place);
  expect(again.ready.port).toBeGreaterThan(0);
});

test("a host address alone does not open the hub to the network", async () => {
  await using place = await makePlace();
  const { exit, err } = await clawport(place, "up", "--host", "0.0.0.0");
  expect(exit).toBe(2);
  expect(err).toContain("--allow-remote");
});

async function metricsOf({ url, tokenPath }: { url: string; tokenPath: string }): Promise<string> {
  const headers = { authorization: `Bearer ${await tokenOf(tokenPath)}` };
  return (await fetch(new URL("/metrics", url), { headers })).text();
}

function refused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", () => resolve(true));
  });
}

test("a server with a name of ours does not keep the hub from starting: it is left out, and the log says why", async () => {
  const said: string[] = [];
  await using place = await placeWith({ machine: { command: "true" }, agent: { command: "true" } });
  await using hub = await startHub({ ...place, said }, "--port", "0");
  expect(await listTools(hub.ready.url, await tokenOf(hub.ready.tokenPath))).toBe(200);
  for (const name of ["machine", "agent"])
    expect(said.join("")).toContain(`servers.${name} has a name that Clawport itself uses; rename it`);
});
