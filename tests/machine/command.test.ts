import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/core/config/load-config.ts";
import type { MachineState } from "../../src/hub/control/settings/machine-state.ts";
import { machineSwitches } from "../../src/core/config/machine-config.ts";
import {
  clawport,
  mainFile,
  makePlace,
  type Place,
  type Running,
  startHub,
  startReady,
} from "../support/cli/run-clawport.ts";
import { listenHere } from "../support/listen-here.ts";
import { until } from "../support/until.ts";

type RunningNode = Running<{
  readonly url: string;
  readonly tokenPath: string;
  readonly pid: number;
  readonly tools: readonly string[];
  readonly switches: { readonly gateway: boolean; readonly mcp: boolean };
}>;

async function configure(place: Place, config: object): Promise<void> {
  await mkdir(place.home, { recursive: true, mode: 0o700 });
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify(config));
}

/** `clawport node` as a person starts it. */
async function startSpeaking(place: Place): Promise<AsyncDisposable & { readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [mainFile, "node"], { env: place.env, cwd: place.folder });
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => place.said?.push(String(chunk)));
  const ended = once(child, "exit");
  const end = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  return { child, [Symbol.asyncDispose]: end };
}

const startNode = (place: Place): Promise<RunningNode> => startReady(place, "node", "--json", "--port", "0");

describe("the two switches", () => {
  test.each([
    [{}, { gateway: false, mcp: true }],
    [{ enableMcpServer: true }, { gateway: false, mcp: true }],
    [{ enableNodeMode: false }, { gateway: false, mcp: true }],
    [
      { enableNodeMode: false, enableMcpServer: true },
      { gateway: false, mcp: true },
    ],
    [
      { enableNodeMode: true, enableMcpServer: false },
      { gateway: true, mcp: false },
    ],
    [{ enableNodeMode: true }, { gateway: true, mcp: false }],
    [
      { enableNodeMode: true, enableMcpServer: true },
      { gateway: true, mcp: true },
    ],
    [
      { enableNodeMode: false, enableMcpServer: false },
      { gateway: false, mcp: false },
    ],
    [{ enableMcpServer: false }, { gateway: false, mcp: false }],
    [
      { EnableNodeMode: true, EnableMcpServer: true },
      { gateway: true, mcp: true },
    ],
    [
      { EnableNodeMode: false, EnableMcpServer: false },
      { gateway: false, mcp: false },
    ],
    [{ McpOnlyMode: true }, { gateway: false, mcp: true }],
    [
      { McpOnlyMode: true, enableNodeMode: true },
      { gateway: true, mcp: true },
    ],
    [
      { McpOnlyMode: false, EnableNodeMode: true },
      { gateway: true, mcp: false },
    ],
  ])("%j means %j", async (machine, switches) => {
    const { config } = await loadConfig({ path: "clawport.json5", env: {}, text: JSON.stringify({ machine }) });
    expect(machineSwitches(config.machine)).toEqual(switches);
    expect(JSON.stringify(config)).not.toContain("McpOnlyMode");
  });

  test("a switch with a value that is not true or false is reported", async () => {
    for (const machine of [{ McpOnlyMode: "yes" }, { EnableMcpServer: 1 }, { enableNodeMode: "on" }])
      await expect(
        loadConfig({ path: "clawport.json5", env: {}, text: JSON.stringify({ machine }) }),
      ).rejects.toMatchObject({ code: "config" });
  });

  test("a switch that is changed replaces what the tray wrote; the oldest one is never written again", async () => {
    await using place = await makePlace();
    const file = join(place.home, "clawport.json5");
    const saved = async () => JSON.parse(await readFile(file, "utf8"));
    await configure(place, { machine: { McpOnlyMode: true, git: { roots: ["~/src"] } } });
    expect((await clawport(place, "node", "settings", "--gateway", "on")).exit).toBe(0);
    expect(await saved()).toEqual({
      machine: { git: { roots: ["~/src"] }, enableNodeMode: true, enableMcpServer: true },
    });
    await configure(place, { machine: { McpOnlyMode: false, EnableNodeMode: true, EnableMcpServer: true } });
    expect((await clawport(place, "node", "settings", "--gateway", "off")).exit).toBe(0);
    expect(await saved()).toEqual({ machine: { enableNodeMode: false, enableMcpServer: true } });
  });

  test("a node says what its MCP server does, always offers its tools, and lets consent be set", async () => {
    await using place = await makePlace();
    await using node = await startNode(place);
    const settings = async (...args: string[]) =>
      JSON.parse((await clawport(place, "node", "settings", "--json", ...args)).out) as MachineState;
    const state = await settings();
    expect(state).toMatchObject({ host: "node", status: "Listening", endpoint: node.ready.url, needsRestart: false });
    expect(state.tools).toEqual({ offered: true, afterRestart: true });
    expect(state.capabilities.map(({ name }) => name)).toContain("device.info");
    const { out } = await clawport(place, "node", "consent", "device.info", "ask");
    expect(out).toMatch(/device\.info +ask/);
    expect(await settings("--mcp", "off", "--gateway", "on")).toMatchObject({ status: "Disabled", needsRestart: true });
    const refused = await clawport(place, "node", "settings", "--offer", "on");
    expect(refused).toMatchObject({ exit: 1, err: expect.stringContaining("A node always offers") as string });
    const text = await clawport(place, "node", "settings");
    expect(text.out).toMatch(/^Tools +on$/m);
    expect(text.out).toMatch(/^MCP +off: Disabled, http/m);
  });

  test("in a hub the switch of the tools is shown, not that of a node's MCP server", async () => {
    await using place = await makePlace();
    await using hub = await startHub(place, "--port", "0");
    const { out } = await clawport(place, "node", "settings", "--offer", "on");
    expect(out).toMatch(/^Tools +on$/m);
    expect(out).toMatch(new RegExp(`^MCP +Listening, http://127.0.0.1:${hub.ready.port}/$`, "m"));
    expect(out).not.toContain("restart");
    expect((await clawport(place, "node", "call", "device.info")).exit).toBe(0);
    expect((await clawport(place, "node", "settings", "--offer", "off")).out).toMatch(/^Tools +off$/m);
    expect((await clawport(place, "node", "call", "device.info")).err).toContain("does not offer the tools");
    const refused = await clawport(place, "node", "settings", "--mcp", "off");
    expect(refused).toMatchObject({ exit: 1, err: expect.stringContaining("A hub always serves") as string });
  });

  test("while neither runs both switches can be set", async () => {
    await using place = await makePlace();
    const { exit, out } = await clawport(place, "node", "settings", "--mcp", "on", "--offer", "on", "--json");
    const state = { host: "none", status: "Stopped — save and restart to start", needsRestart: false };
    expect({ exit, ...(JSON.parse(out) as MachineState) }).toMatchObject({ exit: 0, ...state });
  });

  test("with both off the node says how to switch one on, and makes no token", async () => {
    await using place = await makePlace();
    await configure(place, { machine: { enableNodeMode: false, enableMcpServer: false } });
    const { exit, err } = await clawport(place, "node");
    expect(exit).toBe(78);
    expect(err).toContain("machine.enableMcpServer: true");
    expect(err).toContain("machine.enableNodeMode: true");
    await expect(stat(join(place.home, "mcp-token.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

test("a folder's configuration neither offers this computer nor loosens what needs consent", async () => {
  await using place = await makePlace();
  await configure(place, {});
  await writeFile(
    join(place.folder, "clawport.json5"),
    JSON.stringify({ machine: { consent: { clipboard: "always" } } }),
  );
  const { out, err } = await clawport(place, "config", "check");
  expect(out + err).toContain("can't offer this computer");
  await using node = await startReady<RunningNode["ready"]>(place, "node", "--json", "--port", "0", "--trust");
  const status = JSON.parse((await clawport(place, "node", "call", "app.status")).out);
  expect(status.capabilities["clipboard.read"].consent).toBe("ask");
  expect(node.ready.switches).toEqual({ gateway: false, mcp: true });
});

describe("clawport node", () => {
  test("serves until it is stopped, keeps its token, and is the only one of its folder", async () => {
    await using place = await makePlace();
    let token = "";
    {
      await using node = await startNode(place);
      expect(node.ready.tools).toContain("system.run");
      token = await readFile(node.ready.tokenPath, "utf8");
      const second = await clawport(place, "node");
      expect(second.exit).toBe(1);
      expect(second.err).toContain("already running");
      expect(second.err).toContain("`clawport node settings --offer on` makes it offer the tools of this computer");
      node.child.kill("SIGTERM");
      expect(await node.ended).toBe(0);
    }
    await using again = await startNode(place);
    expect(await readFile(again.ready.tokenPath, "utf8")).toBe(token);
  });

  test("takes the next free port if a stranger has the configured one, and shows it everywhere", async () => {
    await using place = await makePlace();
    await using stranger = await listenHere(createServer((_, response) => response.end("not a node")));
    const taken = Number(new URL(stranger.origin).port);
    await configure(place, { hub: { port: taken } });
    await using node = await startReady<RunningNode["ready"] & { port: number }>(place, "node", "--json");
    const { url, port } = node.ready;
    expect(port).toBeGreaterThan(taken);
    expect(url).toBe(`http://127.0.0.1:${port}/`);
    expect((await clawport(place, "node", "settings")).out).toContain(url);
    expect((await clawport(place, "status")).out).toContain(`127.0.0.1:${port}`);
    const status = JSON.parse((await clawport(place, "node", "call", "app.status")).out);
    expect(status.mcp).toMatchObject({ listening: true, url });
    node.child.kill("SIGTERM");
    expect(await node.ended).toBe(0);

    const said: string[] = [];
    await using again = await startSpeaking({ ...place, said });
    await until(() => said.join("").includes(`Port ${taken} is in use by another program`), "the line about the port");
    expect(again.child.exitCode).toBeNull();
    // A port that was asked for by name is that one or none.
    await using other = await makePlace();
    const refused = await clawport(other, "node", "--port", String(taken));
    expect(refused).toMatchObject({ exit: 1, err: expect.stringContaining(String(taken)) as string });
  });

  test("call: 0 for an answer, 1 for a failure, 2 for wrong arguments", async () => {
    await using place = await makePlace();
    await using _node = await startNode(place);
    const call = (...args: string[]) => clawport(place, "node", "call", ...args);
    const found = await call("system.which", "bins=git");
    expect(found).toMatchObject({ exit: 0 });
    expect(JSON.parse(found.out)).toHaveProperty("bins.git");
    expect((await call("system.which", '{"bins":["git"]}')).exit).toBe(0);
    await writeFile(join(place.folder, "args.json"), '{"bins":["git"]}');
    expect((await call("system.which", "@args.json")).exit).toBe(0);
    expect((await call("--list")).out).toContain("system.which");
    expect(await call("clipboard.read")).toMatchObject({
      exit: 1,
      out: expect.stringContaining("CLIPBOARD_UNAVAILABLE"),
    });
    for (const wrong of [
      [],
      ["system.which"],
      ["system.which", "bins=a/b"],
      ["no.such"],
      ["system.which", "@none.json"],
    ])
      expect((await call(...wrong)).exit).toBe(2);
  });

  test("call: fails with 1 if no node runs", async () => {
    await using place = await makePlace();
    const { exit, err } = await clawport(place, "node", "call", "device.info");
    expect(exit).toBe(1);
    expect(err).toContain("clawport node");
  });

  test("call: a hub that does not offer this computer says how to switch it on", async () => {
    await using place = await makePlace();
    await using _hub = await startHub(place, "--port", "0");
    const { exit, err } = await clawport(place, "node", "call", "device.info");
    expect(exit).toBe(1);
    expect(err).toContain("Run `clawport node settings --offer on`");
  });

  test("call: this computer's token goes to this computer alone", async () => {
    await using place = await makePlace();
    await using _node = await startNode(place);
    const seen: (string | undefined)[] = [];
    const elsewhere = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(401).end();
    });
    await using listening = await listenHere(elsewhere);
    const { port } = new URL(listening.origin);
    const mapped = `http://[::ffff:127.0.0.1]:${port}/`;
    expect((await clawport(place, "node", "call", "device.info", "--url", mapped)).exit).toBe(2);
    expect(
      (await clawport(place, "node", "call", "device.info", "--url", `https://example.invalid:${port}/`)).exit,
    ).toBe(1);
    expect((await clawport(place, "node", "call", "device.info", "--url", `http://127.0.0.1:${port}/`)).exit).toBe(1);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatch(/^Bearer /);
  });

  test("approvals show the command that allows a tool for good", async () => {
    await using place = await makePlace();
    await configure(place, { machine: { location: { static: { lat: 1, lon: 2 } } } });
    await using _node = await startNode(place);
    expect((await clawport(place, "node", "call", "location.get")).exit).toBe(1);
    const { out } = await clawport(place, "approvals");
    expect(out).toContain("clawport node allow location.get");
  });

  test("allow --session: counts at once, and until that node stops", async () => {
    await using place = await makePlace();
    await configure(place, {
      policy: { unattendedApprovals: true },
      machine: { location: { static: { lat: 48.2, lon: 2 } } },
    });
    const locate = () => clawport(place, "node", "call", "location.get");
    {
      await using _node = await startNode(place);
      expect((await locate()).exit).toBe(1);
      expect((await clawport(place, "node", "allow", "location.get", "--yes", "--session")).exit).toBe(0);
      expect(await locate()).toMatchObject({ exit: 0, out: expect.stringContaining("48.2") });
      expect((await clawport(place, "approvals")).out).toMatch(/always +location\.get +every caller +the node stops/);
    }
    await using _next = await startNode(place);
    expect((await locate()).exit).toBe(1);
    expect((await clawport(place, "node", "allow", "location.get", "--yes")).exit).toBe(0);
    expect((await locate()).exit).toBe(0);
    const { consents } = JSON.parse((await clawport(place, "approvals", "--json")).out);
    expect(consents).toMatchObject([{ capability: "location.get", choice: "always" }]);
  });

  test("allow: needs a person at a terminal, unless the owner's configuration says otherwise", async () => {
    await using place = await makePlace();
    for (const args of [["clipboard.read"], ["clipboard.read", "--yes"]]) {
      const refused = await clawport(place, "node", "allow", ...args);
      expect(refused.exit).toBe(77);
      expect(refused.err).toContain("Approving needs a person");
    }
    await configure(place, { policy: { unattendedApprovals: true } });
    expect((await clawport(place, "node", "allow", "clipboard.read", "--yes")).exit).toBe(0);
    expect((await clawport(place, "node", "allow", "location.get", "--yes", "--session")).exit).toBe(69);
    expect((await clawport(place, "node", "allow", "not a name", "--yes")).exit).toBe(2);
    const saved = JSON.parse(await readFile(join(place.home, "machine", "consent.json"), "utf8"));
    expect(saved).toMatchObject([{ capability: "clipboard.read", choice: "always" }]);
    expect((await clawport(place, "node", "forget", "clipboard.read")).out).toContain("Forgot 1 decision");
  });
});
