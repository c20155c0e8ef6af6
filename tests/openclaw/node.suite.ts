import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Capability } from "../../src/sources/machine/capability.ts";
import { clawport, type Place } from "../support/cli/run-clawport.ts";
import { pixelsOf, readFilm } from "../machine/desktop/look-at-media.ts";
import { hasPackages, x11Packages } from "../machine/desktop/require-programs.ts";
import { type Desktop, startDesktop } from "../machine/start-desktop.ts";
import { type StartedNode, startNode } from "../machine/start-node.ts";
import { until } from "../support/until.ts";
import { type GatewayChat, openChat } from "./bench/gateway-chat.ts";
import { openBench, type OpenClawBench } from "./bench/open-bench.ts";

let bench: OpenClawBench;
let desktop: Desktop;
let repository = "";
let started: StartedNode;
let nodeId = "";
let operator: GatewayChat;

/** What the gateway's owner has to allow on Linux: its policy drops everything else, such as clipboard.write, without a word. */
const allowed = [
  "device.info",
  "device.status",
  "location.get",
  "git.status",
  "clipboard.read",
  "screen.record",
  "camera.snap",
];

beforeAll(async () => {
  await hasPackages(...x11Packages);
  [bench, desktop] = await Promise.all([
    openBench({ prepare: (_, env) => allow(env, [...allowed, "demo.count"]) }),
    startDesktop(),
  ]);
  repository = await mkdtemp(join(tmpdir(), "node-repository-"));
  await promisify(execFile)("git", ["init", "-q", "-b", "trunk", repository]);
  started = await startNode({
    machine: {
      enableNodeMode: true,
      enableMcpServer: true,
      location: { static: { lat: 48.2, lon: 16.37, accuracyMeters: 10 } },
      git: { roots: [repository] },
      camera: { testDevices: [{ id: "test:pattern", source: "testsrc2=size=320x240:rate=25" }] },
      consent: { location: "always", clipboard: "always", screen: "always", camera: "always" },
    },
    env: { ...desktop.env, ...openclawEnv(bench.env) },
    attended: true,
    approvals: { version: 1, agents: { main: { allowlist: [{ pattern: "/**/expr" }] } } },
  });
  nodeId = started.node.engine.gatewayNode?.nodeId ?? "";
  await connected();
  operator = await openChat(bench.url, bench.token);
  await desktop.copy("copied");
  await desktop.run("xsetroot", "-solid", "#ff8000");
});
afterAll(async () => {
  await operator?.[Symbol.asyncDispose]();
  await started?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
  await bench?.[Symbol.asyncDispose]();
  if (repository !== "") await rm(repository, { recursive: true, force: true });
});

async function allow(env: Readonly<Record<string, string>>, commands: readonly string[]): Promise<void> {
  const path = env["OPENCLAW_CONFIG_PATH"] ?? "";
  const config = JSON.parse(await readFile(path, "utf8")) as { gateway: object };
  const gateway = { ...config.gateway, nodes: { commands: { allow: commands } } };
  await writeFile(path, JSON.stringify({ ...config, gateway }));
}

/** Where the gateway is and its token, but no other home. */
function openclawEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith("OPENCLAW_")));
}

const connected = (): Promise<void> =>
  until(() => started.node.engine.gatewayNode?.state().state === "connected", "the node to be connected", 120_000);

/** For commands of ours that use this state folder, and find the gateway and the desktop. */
function place(home: string): Place {
  const env = { ...desktop.env, ...openclawEnv(bench.env), CLAWPORT_HOME: home };
  return { folder: home, home, env, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** OpenClaw's own command line. */
async function openclaw(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [bench.program, ...args], {
    env: { ...bench.env },
    maxBuffer: 10_000_000,
  });
  return stdout;
}

async function invoke(command: string, params: object = {}): Promise<Record<string, unknown>> {
  const args = ["--node", nodeId, "--command", command, "--params", JSON.stringify(params), "--json"];
  const answer = JSON.parse(await openclaw("nodes", "invoke", ...args)) as { payload: Record<string, unknown> };
  return answer.payload;
}

async function describeNode(): Promise<Record<string, unknown>> {
  return operator.request("node.describe", { nodeId });
}

/** The node when the command can be used: an approval may cut its connection, which it then opens again. */
async function effective(command: string): Promise<Record<string, unknown>> {
  let seen: Record<string, unknown> = {};
  const isEffective = async (): Promise<boolean> => {
    seen = await describeNode();
    return seen["connected"] === true && JSON.stringify(seen["commands"]).includes(command);
  };
  await until(isEffective, `${command} to be in effect`, 30_000);
  return seen;
}

test("the node pairs, and nothing runs before the gateway's owner approves it", async () => {
  const before = await describeNode();
  expect(before).toMatchObject({ connected: true, approvalState: "pending-approval", commands: [] });
  const early = operator.request("node.invoke", { nodeId, command: "device.info", idempotencyKey: "early" });
  await expect(early).rejects.toThrow(/pairing changed|pending approval|not allowed/);

  await openclaw("nodes", "approve", String(before["pendingRequestId"]));
  const after = await effective("system.which");
  expect(after).toMatchObject({ approvalState: "approved" });
  expect(after["commands"]).toEqual(
    expect.arrayContaining([...allowed, "screen.snapshot", "system.run", "system.which", "system.notify"]),
  );
  expect(after["commands"]).not.toContain("app.status");
});

describe("OpenClaw's own `nodes invoke`", () => {
  test.for<[string, object, object]>([
    ["system.which", { bins: ["sh"] }, { bins: { sh: expect.stringContaining("/sh") as string } }],
    ["device.info", {}, { systemName: "Linux", appVersion: "1.2.3" }],
    ["device.status", {}, { uptimeSeconds: expect.any(Number) as number }],
    ["location.get", { desiredAccuracy: "precise", timeoutMs: 5000 }, { lat: 48.2, lon: 16.37 }],
    ["system.notify", { title: "From the gateway", body: "hello", delivery: "system" }, { ok: true }],
    ["clipboard.read", {}, { text: "copied" }],
  ])("drives %s", async ([command, params, payload]) => {
    expect(await invoke(command, params)).toMatchObject(payload);
  });

  test("drives git.status, and the notification was seen on the desktop", async () => {
    expect(await invoke("git.status", { path: repository })).toMatchObject({ branch: "trunk", clean: true });
    expect(desktop.shown()).toContain("From the gateway");
  });

  test("takes a screenshot, a film and a photo", async () => {
    const picture = await invoke("screen.snapshot", { format: "png", maxWidth: 320 });
    expect(picture).toMatchObject({ format: "png", width: 320, height: 240, screenIndex: 0 });
    const [red, green, blue] = (await pixelsOf(String(picture["base64"]))).at(20, 220);
    expect([red > 240, Math.abs(green - 128) < 12, blue < 15]).toEqual([true, true, true]);
    const film = await invoke("screen.record", { durationMs: 1000, fps: 5, maxWidth: 160, format: "mp4" });
    const path = join(repository, "film.mp4");
    await writeFile(path, Buffer.from(String(film["base64"]), "base64"));
    expect(await readFilm(path)).toMatchObject({ width: 160, frames: 5 });
    await rm(path);
    expect(await invoke("camera.snap", { maxWidth: 160, format: "jpg" })).toMatchObject({ format: "jpg", width: 160 });
  });

  test("shows why a call failed", async () => {
    await expect(invoke("git.status", { path: "/" })).rejects.toThrow(/PATH_DENIED/);
  });
});

test("commands run under the approvals of this computer, and each is in its activity", async () => {
  const run = (command: string[], method = "system.run"): Promise<unknown> =>
    operator.request("node.invoke", {
      nodeId,
      command: method,
      params: { command },
      idempotencyKey: command.join(" "),
    });
  expect(await run(["expr", "1"], "system.run.prepare")).toMatchObject({ payload: { plan: { argv: ["expr", "1"] } } });
  expect(await run(["expr", "40", "+", "2"])).toMatchObject({ payload: { stdout: "42\n", exitCode: 0 } });
  started.answer("no");
  await expect(run(["touch", join(repository, "x")])).rejects.toThrow(/denied/i);
  expect(started.questions).toMatchObject([{ tool: "system.run" }]);
  expect(await operator.request("exec.approvals.node.get", { nodeId })).toMatchObject({ exists: true });
  const activity = started.node.engine.machine?.activity.list();
  expect(activity).toContainEqual(expect.objectContaining({ transport: "gateway", command: "system.run", ok: false }));
});

test("a command runs with the longest time that OpenClaw gives one, cut to ours", async () => {
  const params = { command: ["expr", "40", "+", "2"], timeoutMs: 1_800_000 };
  const request = { nodeId, command: "system.run", params, idempotencyKey: "long" };
  expect(await operator.request("node.invoke", request)).toMatchObject({ payload: { stdout: "42\n", exitCode: 0 } });
});

test("a capability that is added at run time is on both transports, pending until it is approved", async () => {
  let runs = 0;
  const counted: Capability = {
    name: "demo.count",
    title: "Count",
    description: "Counts its calls.",
    risk: "read",
    consent: "always",
    input: { type: "object", properties: {}, additionalProperties: false },
    output: { type: "object", properties: { runs: { type: "integer" } }, required: ["runs"] },
    run: () => ({ payload: { runs: ++runs } }),
  };
  started.node.engine.machine?.registry.register(counted);
  const { result } = await started.rpc("tools/list");
  expect(JSON.stringify(result)).toContain("demo.count");
  let seen: Record<string, unknown> = {};
  await until(
    async () => (seen = await describeNode())["approvalState"] === "pending-reapproval",
    "the request",
    60_000,
  );
  expect(seen["pendingDeclaredCommands"]).toContain("demo.count");
  expect(seen["commands"]).toContain("device.info");
  await operator.request("node.pair.approve", { requestId: seen["pendingRequestId"] });
  await effective("demo.count");

  expect(await invoke("demo.count")).toEqual({ runs: 1 });
  const call = (): Promise<unknown> =>
    operator.request("node.invoke", { nodeId, command: "demo.count", idempotencyKey: "same" });
  expect(await call()).toMatchObject({ payload: { runs: 2 } });
  expect(await call()).toMatchObject({ payload: { runs: 2 } });
  expect(await started.call("demo.count")).toMatchObject({ structuredContent: { runs: 3 } });
  await until(
    async () => JSON.stringify((await describeNode())["nodePluginTools"]).includes("demo_count"),
    "the tool",
    60_000,
  );
  expect(await operator.say("call:demo_count {}")).toMatch(/^GOT=.*"runs\W+4/s);
});

test("`clawport node status` shows each command: declared, allowed, approved", async () => {
  const { out, exit } = await clawport(place(started.home.path), "node", "status", "--json");
  const standing = JSON.parse(out) as { commands: object[] };
  expect({ exit, ...standing }).toMatchObject({ exit: 0, nodeId, seen: { connected: true } });
  const approved = { declared: true, allowed: true, approved: true, next: "" };
  expect(standing.commands).toContainEqual({ command: "device.info", ...approved });
  expect(standing.commands).toContainEqual({ command: "demo.count", ...approved });
  const next = expect.stringContaining("gateway.nodes.commands.allow") as string;
  const dropped = { command: "clipboard.write", declared: true, allowed: false, approved: false, next };
  expect(standing.commands).toContainEqual(dropped);
});

test("`clawport node pair` waits until the owner of the gateway has approved it", async () => {
  const home = await mkdtemp(join(tmpdir(), "node-pair-"));
  const known = (await operator.request<{ nodes: { nodeId: string }[] }>("node.list")).nodes.map((node) => node.nodeId);
  const pairing = clawport(place(home), "node", "pair", "--json");
  let added: { nodeId: string; connected?: boolean; pendingRequestId?: string } | undefined;
  await until(
    async () => {
      const { nodes } = await operator.request<{ nodes: NonNullable<typeof added>[] }>("node.list");
      added = nodes.find((node) => !known.includes(node.nodeId));
      return added?.connected === true && added.pendingRequestId !== undefined;
    },
    "the request of the new node",
    60_000,
  );
  await operator.request("node.pair.approve", { requestId: added?.pendingRequestId });
  const { exit, out } = await pairing;
  expect({ exit, ...(JSON.parse(out) as object) }).toMatchObject({ exit: 0, seen: { approvalState: "approved" } });
  await rm(home, { recursive: true, force: true });
});

test("after the gateway was killed and started again, the node is back by itself", { timeout: 420_000 }, async () => {
  await bench.kill();
  await until(() => started.node.engine.gatewayNode?.state().state === "connecting", "the loss to be seen", 60_000);
  await bench.start();
  await connected();
  operator = await openChat(bench.url, bench.token);
  const answer = await operator.request("node.invoke", { nodeId, command: "device.info", idempotencyKey: "back" });
  expect(answer).toMatchObject({ payload: { systemName: "Linux" } });
});
