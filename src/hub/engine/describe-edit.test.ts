import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile } from "node:fs/promises";
import { readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { shelf } from "../../../tests/support/cli/test-home.ts";
import { loose, openStage, type Stage } from "../../../tests/support/edit-stage.ts";
import { until } from "../../../tests/support/until.ts";
import type { CheckedSchema } from "../../core/config/check-value.ts";
import { configSchema } from "../../core/config/config-schema.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import { writeFileAtomic } from "../../core/files/write-file-atomic.ts";
import type { Capability } from "../../sources/machine/capability.ts";
import { findRestartKeys, readAtStart } from "./describe-edit.ts";

const mine = { enabled: true, consent: { location: "always", camera: "always", stt: "always" } };

interface LiveKey {
  readonly before?: object;
  readonly after: object;
  /** Whether the edit is in force. */
  sees(stage: Stage): Promise<boolean>;
}

const machine = (part: object) => ({ machine: { ...mine, ...part } });
const isIn = (names: readonly string[], part: string): boolean => names.some((name) => name.includes(part));

/** A refusal at the gate is logged from the level `debug` on. */
async function logsDebug({ engine, lines }: Stage): Promise<boolean> {
  await fetch(engine.http!.address);
  return lines.some((line) => line.includes("refused a caller"));
}

/** A tool of this computer that takes longer than the shortest limit of a call. */
function addSlowTool({ engine }: Stage): void {
  const slow: Capability = {
    name: "demo.slow",
    title: "Slow",
    description: "Takes its time.",
    risk: "read",
    consent: "always",
    input: { type: "object" },
    output: { type: "object" },
    run: () => new Promise((resolve) => setTimeout(() => resolve({ payload: { done: true } }), 1200)),
  };
  const registry = engine.machine?.registry;
  if (registry?.find(slow.name) === undefined) registry?.register(slow);
}

/** What an edit of each key that is not in `readAtStart` changes, as a client sees it. */
const liveKeys: Readonly<Record<string, LiveKey>> = {
  "hub.surface": {
    after: { hub: { surface: "search" } },
    sees: async ({ names }) => isIn(await names(), "search_tools"),
  },
  "hub.scripts": {
    after: { hub: { scripts: "on" } },
    sees: async ({ names }) => isIn(await names(), "run_script"),
  },
  "hub.always": {
    before: { hub: { surface: "search" } },
    after: { hub: { surface: "search", always: ["add"] } },
    sees: async ({ names }) => isIn(await names(), "add"),
  },
  "log.level": { after: { log: { level: "debug" } }, sees: logsDebug },
  debug: { after: { debug: true }, sees: logsDebug },
  "log.format": {
    after: { log: { format: "json" } },
    sees: ({ lines }) => Promise.resolve(lines.some((line) => line.startsWith("{"))),
  },
  "catalog.include": {
    after: { catalog: { include: ["none"] } },
    sees: async ({ names }) => !isIn(await names(), "add"),
  },
  "catalog.exclude": {
    after: { catalog: { exclude: ["add"] } },
    sees: async ({ names }) => !isIn(await names(), "add"),
  },
  policy: {
    after: { policy: { rules: [{ tool: "add", verdict: "deny" }] } },
    sees: async ({ call }) => (await call("add")) !== "add",
  },
  servers: { after: { servers: { books: shelf() } }, sees: async ({ names }) => isIn(await names(), "books__") },
  "machine.enabled": {
    after: { machine: { enabled: true } },
    sees: async ({ names }) => isIn(await names(), "device_info"),
  },
  "machine.enableNodeMode": {
    before: machine({}),
    after: machine({ enableNodeMode: true }),
    sees: ({ gateways }) => Promise.resolve(gateways[0]!.caps().length === 1),
  },
  "machine.gatewayUrl": {
    before: machine({ enableNodeMode: true }),
    after: machine({ enableNodeMode: true, gatewayUrl: "$OTHER" }),
    sees: ({ gateways: [first, other] }) => Promise.resolve(first!.caps().length === 0 && other!.caps().length === 1),
  },
  "machine.maxConcurrent": {
    before: machine({}),
    after: machine({ maxConcurrent: 1 }),
    async sees(stage) {
      addSlowTool(stage);
      const answers = await Promise.all(["demo.slow", "demo.slow"].map((name) => stage.call(name)));
      return isIn(answers, "limit") || isIn(answers, "503");
    },
  },
  "machine.callTimeoutMs": {
    before: machine({}),
    after: machine({ callTimeoutMs: 1000 }),
    async sees(stage) {
      addSlowTool(stage);
      return (await stage.call("demo.slow")).startsWith("TIMEOUT");
    },
  },
  "machine.consent": {
    before: machine({}),
    after: machine({ consent: { "device.info": "off" } }),
    sees: async ({ call }) => (await call("device.info")).includes("switched off"),
  },
  "machine.run.remoteGrants": {
    before: machine({}),
    after: machine({ run: { remoteGrants: true } }),
    async sees({ call }) {
      const { hash } = JSON.parse(await call("system.execApprovals.get"));
      const file = { ...loose, agents: { main: { allowlist: [{ pattern: "/bin/true" }] } } };
      return (await call("system.execApprovals.set", { file, baseHash: hash })).startsWith("{");
    },
  },
  "machine.run.gatewayApprovals": {
    before: machine({ enableNodeMode: true }),
    after: machine({ enableNodeMode: true, run: { gatewayApprovals: true } }),
    async sees({ engine, gateways: [gateway] }) {
      await writeFileAtomic(
        engine.home.file("machine", "exec-approvals.json"),
        JSON.stringify({ version: 1, defaults: { security: "allowlist", ask: "on-miss" } }),
      );
      const id = crypto.randomUUID();
      const paramsJSON = JSON.stringify({ command: ["true"], approved: true, approvalDecision: "allow-once" });
      gateway!.emit("node.invoke.request", { id, nodeId: "n", command: "system.run", paramsJSON });
      const result = () =>
        gateway!.requests.find(({ method, params }) => method === "node.invoke.result" && params.id === id);
      await until(() => result() !== undefined, "the result");
      return result()!.params.ok as boolean;
    },
  },
  "machine.run.pidNamespace": {
    before: machine({}),
    after: machine({ run: { pidNamespace: "off" } }),
    sees: async ({ call }) =>
      (await call("system.run", { command: ["readlink", "/proc/self/ns/pid"] })).includes(
        readlinkSync("/proc/self/ns/pid"),
      ),
  },
  "machine.location.static": {
    before: machine({}),
    after: machine({ location: { static: { lat: 48.2, lon: 16.37 } } }),
    sees: async ({ call }) => (await call("location.get")).includes("48.2"),
  },
  "machine.camera.testDevices": {
    before: machine({}),
    after: machine({ camera: { testDevices: [{ id: "test:one", source: "testsrc2" }] } }),
    sees: async ({ call }) => (await call("camera.list")).includes("test:one"),
  },
  "machine.microphone": {
    before: machine({ stt: { command: ["true"] } }),
    after: machine({ stt: { command: ["true"] }, microphone: "desk" }),
    async sees({ call, folder }) {
      await call("stt.transcribe", { maxDurationMs: 1 });
      return (await readFile(join(folder, "ffmpeg.args"), "utf8")).includes("-i desk");
    },
  },
  "machine.stt.command": {
    before: machine({}),
    after: machine({ stt: { command: ["sort"] } }),
    sees: async ({ call }) => (await call("stt.status")).includes("sort"),
  },
  "machine.git.roots": {
    before: machine({}),
    after: machine({ git: { roots: ["~/repository"] } }),
    async sees({ call, folder }) {
      const repository = join(folder, "repository");
      await mkdir(repository, { recursive: true });
      await promisify(execFile)("git", ["init", "-q", repository]);
      return (await call("git.status", { path: repository })).startsWith("{");
    },
  },
  "machine.canvas": {
    before: machine({}),
    after: machine({ canvas: { trustedOrigins: ["https://example.com"] } }),
    sees: async ({ call }) => (await call("canvas.caps")).includes("https://example.com"),
  },
};

/** `agents` is for OpenClaw's plugin, and editors read `$schema`. */
const unusedByHubs = ["$schema", "agents"];

/** Each key that is described on its own, down to those in one of the lists. */
function keysOf({ properties = {} }: CheckedSchema, path = ""): readonly string[] {
  return Object.entries(properties).flatMap(([name, part]) => {
    const key = path === "" ? name : `${path}.${name}`;
    const isListed = [...readAtStart, ...Object.keys(liveKeys), ...unusedByHubs].includes(key);
    return isListed || part.properties === undefined ? [key] : keysOf(part, key);
  });
}

test("every key of the configuration counts at once or after a restart, and none does both", () => {
  const lists = [...readAtStart, ...Object.keys(liveKeys), ...unusedByHubs];
  expect(keysOf(configSchema).toSorted()).toEqual(lists.toSorted());
});

const linuxOnly = process.platform === "linux" ? Object.entries(liveKeys) : [];

test.for(linuxOnly)(
  "an edit of %s counts at once, and no restart is asked for",
  async ([, { before, after, sees }]) => {
    await using stage = await openStage(before ?? {});
    const text = JSON.stringify(after).replace("$OTHER", stage.gateways[1]!.url);
    if (JSON.stringify(before ?? {}).includes("enableNodeMode"))
      await until(() => stage.gateways[0]!.caps().length === 1, "the gateway");
    expect(await sees(stage)).toBe(false);
    await stage.edit(JSON.parse(text));
    await until(() => sees(stage), "the edit to count");
    expect(stage.lines.filter((line) => line.includes("restart"))).toEqual([]);
  },
);

test("a tool that an edit switches off does not wait for a server that is slow to stop", async () => {
  const note = join(await mkdtemp(join(tmpdir(), "slow-")), "pid");
  const script = `trap '' TERM; echo $$$$ > ${note}; while :; do sleep 0.1; done`;
  const slow = { command: "sh", args: ["-c", script], pidNamespace: "off" };
  await using stage = await openStage({ ...machine({}), servers: { slow } });
  await until(async () => (await readFile(note, "utf8").catch(() => "")) !== "", "the server");
  const pid = Number(await readFile(note, "utf8"));
  await stage.edit({ ...machine({ consent: { "device.info": "off" } }), servers: {} });
  await until(async () => (await stage.call("device.info")).includes("switched off"), "the edit to count");
  expect(() => process.kill(pid, 0)).not.toThrow();
});

test("a node connects anew if only the path of its gateway changes", async () => {
  await using stage = await openStage(machine({ enableNodeMode: true }));
  const { url } = stage.gateways[0]!;
  const connects = (): number => stage.lines.filter((line) => line.includes("connected to the gateway")).length;
  await until(() => connects() === 1, "the gateway");
  await stage.edit(machine({ enableNodeMode: true, gatewayUrl: `${url}/other` }));
  await until(() => connects() === 2, "the new connection");
  expect(stage.gateways[0]!.caps()).toHaveLength(1);
});

const restarts: readonly (readonly [key: string, after: object])[] = [
  ["hub.host", { hub: { host: "localhost" } }],
  ["hub.port", { hub: { port: 1234 } }],
  ["hub.allowRemote", { hub: { allowRemote: true } }],
  ["hub.publicUrl", { hub: { publicUrl: "https://hub.example" } }],
  ["hub.maxConcurrent", { hub: { maxConcurrent: 7 } }],
  ["hub.maxBodyBytes", { hub: { maxBodyBytes: 7000 } }],
  ["hub.toolNames", { hub: { toolNames: "full" } }],
  ["catalog.embeddings", { catalog: { embeddings: { url: "http://127.0.0.1:1/v1", model: "m" } } }],
  ["audit", { audit: { keep: 7 } }],
  ["results", { results: { maxTokens: 1234 } }],
  ["scripts", { scripts: { parallel: 7 } }],
  ["agent", { agent: { backend: "commands" } }],
  ["apps", { apps: { serve: true } }],
  ["machine.enableMcpServer", { machine: { enableMcpServer: true } }],
  ["toolDiscoveryInterval", { toolDiscoveryInterval: 7000 }],
  ["maxConcurrentServers", { maxConcurrentServers: 7 }],
];

test("an edit of a key that is read at the start is said to need a restart, and no other key is", async () => {
  const load = async (config: object) =>
    (await loadConfig({ path: "clawport.json5", env: {}, text: JSON.stringify(config) })).config;
  expect(restarts.map(([key]) => key)).toEqual(readAtStart);
  for (const [key, after] of restarts)
    expect(findRestartKeys(await load({}), await load(after), "node")).toEqual([key]);
  const node = { machine: { enableMcpServer: true } };
  expect(findRestartKeys(await load({}), await load(node), "hub")).toEqual([]);
});
