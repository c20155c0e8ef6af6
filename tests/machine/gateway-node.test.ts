import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { readAudit } from "../../src/catalog/audit/read-audit.ts";
import { sendHttp } from "../../src/core/http/send-http.ts";
import { createSocketAgent } from "../../src/core/http/socket-agent.ts";
import { hubKeyPath, readHubKey } from "../../src/doors/mcp/hub-keys.ts";
import type { Capability, CapabilityContext } from "../../src/sources/machine/capability.ts";
import { clawport, makePlace, type Place, startHub, startReady } from "../support/cli/run-clawport.ts";
import { type FakeGateway, startFakeGateway } from "../support/fake-gateway.ts";
import { until } from "../support/until.ts";
import { hasPackages } from "./desktop/require-programs.ts";
import { type StartedNode, type StartNodeOptions, startNode } from "./start-node.ts";

const hasFfmpeg = await hasPackages("ffmpeg");

interface Connect {
  readonly commands: readonly string[];
  readonly caps: readonly string[];
  readonly role: string;
  readonly device: { readonly id: string; readonly publicKey: string };
  readonly auth?: { readonly token?: string };
}

interface Stage extends AsyncDisposable {
  readonly gateway: FakeGateway;
  readonly node: StartedNode;
  readonly connects: readonly Connect[];
  /** Sends a request and waits for its result. */
  invoke(command: string, fields?: object): Promise<InvokeResult>;
  send(id: string, command: string, fields?: object): void;
  result(id: string): Promise<InvokeResult>;
}

interface InvokeResult {
  readonly ok: boolean;
  readonly payloadJSON?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

const stages: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of stages.splice(0)) await one[Symbol.asyncDispose]();
});

interface StageOptions extends StartNodeOptions {
  /** How the gateway answers a handshake: undefined to accept it. */
  readonly onConnect?: (connect: Connect, attempt: number) => unknown;
  readonly onPublish?: (attempt: number) => unknown;
}

async function setStage({ onConnect, onPublish, ...options }: StageOptions = {}): Promise<Stage> {
  const connects: Connect[] = [];
  const gateway = await startFakeGateway(({ method, params }) => {
    if (method === "node.invoke.progress") return { ok: true, ignored: false };
    if (method === "node.pluginTools.update") return onPublish?.(connects.length);
    if (method !== "connect") return undefined;
    connects.push(params as Connect);
    return onConnect?.(params as Connect, connects.length);
  });
  const node = await startNode({
    ...options,
    machine: { enableNodeMode: true, enableMcpServer: true, ...options.machine },
    env: { OPENCLAW_GATEWAY_URL: gateway.url, OPENCLAW_GATEWAY_TOKEN: "gateway-token-1", ...options.env },
  });
  let last = 0;
  const stage: Stage = {
    gateway,
    node,
    connects,
    send: (id, command, fields = {}) => gateway.emit("node.invoke.request", { id, nodeId: "n", command, ...fields }),
    async result(id) {
      const find = () =>
        gateway.requests.find(({ method, params }) => method === "node.invoke.result" && params.id === id);
      await until(() => find() !== undefined, `the result of ${id}`);
      return find()?.params as InvokeResult;
    },
    invoke(command, fields) {
      const id = `call-${++last}`;
      stage.send(id, command, fields);
      return stage.result(id);
    },
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    },
  };
  stages.push(stage);
  return stage;
}

const isUp = ({ node }: Stage) => node.node.engine.gatewayNode?.state().state === "connected";

async function connectedStage(options?: StageOptions): Promise<Stage> {
  const stage = await setStage(options);
  await until(() => isUp(stage), "the connection");
  return stage;
}

function capability(name: string, run: Capability["run"]): Capability {
  return {
    name,
    title: name,
    description: "A tool of a test.",
    risk: "read",
    consent: "always",
    input: { type: "object", properties: { a: { type: "integer" } }, additionalProperties: false },
    output: { type: "object" },
    run,
  };
}

describe("what is declared", () => {
  test("what works here, with the categories, and nothing that is for this computer alone or switched off", async () => {
    const { connects } = await connectedStage({ machine: { consent: { "system.which": "off" } } });
    const [{ commands, caps, role } = {} as Connect] = connects;
    expect(role).toBe("node");
    expect(commands).toContain("device.info");
    expect(caps).toContain("device");
    for (const absent of ["app.status", "app.activity", "system.which", "clipboard.read"])
      expect(commands).not.toContain(absent);
  });

  test("a capability that comes or goes is declared anew, and reaches MCP clients, too", async () => {
    const stage = await connectedStage();
    const remove = stage.node.node.engine.machine?.registry.register(capability("demo.late", () => ({ payload: {} })));
    await until(() => stage.connects.at(-1)?.commands.includes("demo.late") === true, "the new declaration");
    expect(JSON.stringify(await stage.node.rpc("tools/list"))).toContain("demo.late");
    await until(() => isUp(stage), "the new connection");
    const published = () => stage.gateway.requests.filter(({ method }) => method === "node.pluginTools.update").at(-1);
    await until(() => JSON.stringify(published()?.params).includes("demo_late"), "the agent tool");
    remove?.();
    await until(() => stage.connects.at(-1)?.commands.includes("demo.late") === false, "the last declaration");
  });

  test("a running command is not cut off by a new declaration", async () => {
    const stage = await connectedStage();
    const { registry } = stage.node.node.engine.machine!;
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const slow = async () => {
      begun.resolve();
      await gate.promise;
      return { payload: { done: true } };
    };
    registry.register(capability("demo.slow", slow));
    await until(() => stage.connects.length === 2 && isUp(stage), "the declaration");
    stage.send("slow", "demo.slow");
    await begun.promise;
    registry.register(capability("demo.other", () => ({ payload: {} })));
    gate.resolve();
    expect(await stage.result("slow")).toMatchObject({ ok: true, payloadJSON: '{"done":true}' });
    await until(() => stage.connects.at(-1)?.commands.includes("demo.other") === true, "the declaration");
  });
});

describe("node.invoke", () => {
  test("answers with the payload, and drops fields that the command does not know", async () => {
    const stage = await connectedStage();
    const answer = await stage.invoke("system.which", { paramsJSON: '{"bins":["sh"],"newField":1,"cwd":null}' });
    expect(answer.ok).toBe(true);
    expect(JSON.parse(answer.payloadJSON ?? "")).toMatchObject({ bins: { sh: expect.stringContaining("/sh") } });
  });

  test.for<[string, object, string]>([
    ["no.such", {}, "INVALID_REQUEST"],
    ["app.status", {}, "INVALID_REQUEST"],
    ["system.which", { paramsJSON: "{" }, "INVALID_REQUEST"],
    ["system.which", { paramsJSON: "[1]" }, "INVALID_REQUEST"],
    ["system.which", { paramsJSON: '{"bins":7}' }, "INVALID_REQUEST"],
  ])("refuses %s with %o", async ([command, fields, code]) => {
    const stage = await connectedStage();
    expect(await stage.invoke(command, fields)).toMatchObject({ ok: false, error: { code } });
  });

  test("is judged by the guard as a call of the door node, and audited", async () => {
    const stage = await connectedStage({
      config: { policy: { rules: [{ door: "node", tool: "device.info", verdict: "deny" }] } },
    });
    expect(await stage.invoke("device.info")).toMatchObject({ ok: false, error: { code: "DENIED" } });
    expect(await stage.node.call("device.info")).not.toHaveProperty("isError");
    expect(JSON.stringify(stage.node.node.engine.machine?.activity.list())).toContain('"transport":"gateway"');
  });

  test("needs consent as any other call, and no field of the gateway replaces it", async () => {
    const stage = await connectedStage({ machine: { location: { static: { lat: 1, lon: 2 } } } });
    const paramsJSON = '{"approved":true,"approvalDecision":"allow-always"}';
    expect(await stage.invoke("location.get", { paramsJSON })).toMatchObject({ ok: false, error: { code: "DENIED" } });
    const run = await stage.invoke("system.run", { paramsJSON: '{"command":["true"],"approved":true}' });
    expect(run).toMatchObject({ ok: false, error: { code: "DENIED" } });
  });

  test("runs a command for as long as is allowed here, however long the gateway would wait", async () => {
    const approvals = { version: 1, agents: { main: { allowlist: [{ pattern: "/**/expr" }] } } };
    const stage = await connectedStage({ approvals });
    const command = ["expr", "40", "+", "2"];
    // The default of OpenClaw's agents, one second too much, and no limit at all.
    for (const timeoutMs of [1_800_000, 601_000, 0, 600_000]) {
      const { payloadJSON = "{}" } = await stage.invoke("system.run", {
        paramsJSON: JSON.stringify({ command, timeoutMs, agentId: "main" }),
        timeoutMs: timeoutMs + 5000,
      });
      expect(JSON.parse(payloadJSON)).toMatchObject({ stdout: "42\n", exitCode: 0 });
    }
  });

  test("is cancelled by the gateway, by its time limit, and by the loss of the connection", async () => {
    const stage = await connectedStage();
    const signals: AbortSignal[] = [];
    const hang = (_: unknown, { signal }: CapabilityContext) => {
      signals.push(signal);
      return new Promise<never>((__, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    };
    stage.node.node.engine.machine?.registry.register(capability("demo.hang", hang));
    await until(() => stage.connects.length === 2 && isUp(stage), "the declaration");
    stage.send("one", "demo.hang");
    await until(() => signals.length === 1);
    stage.gateway.emit("node.invoke.cancel", { invokeId: "one", nodeId: "n" });
    expect(await stage.result("one")).toMatchObject({ ok: false, error: { code: "ABORTED" } });
    expect(await stage.invoke("demo.hang", { timeoutMs: 20 })).toMatchObject({ ok: false, error: { code: "TIMEOUT" } });
    // On a busy machine the time is up before the command has begun.
    const begun = signals.length;
    stage.send("two", "demo.hang");
    await until(() => signals.length === begun + 1);
    stage.gateway.cut(true);
    await until(() => signals[begun]?.aborted === true);
  });

  test("reports progress", async () => {
    const stage = await connectedStage();
    const steps = capability("demo.steps", (_, { progress }) => {
      progress({ progress: 1, total: 2, message: "half" });
      return { payload: {} };
    });
    stage.node.node.engine.machine?.registry.register(steps);
    await until(() => stage.connects.length === 2 && isUp(stage), "the declaration");
    await stage.invoke("demo.steps");
    const sent = stage.gateway.requests.find(({ method }) => method === "node.invoke.progress");
    expect(sent?.params).toMatchObject({ seq: 0, chunk: expect.stringContaining("half") });
  });

  test("under one key runs once", async () => {
    const stage = await connectedStage();
    let runs = 0;
    stage.node.node.engine.machine?.registry.register(capability("demo.once", () => ({ payload: { runs: ++runs } })));
    await until(() => stage.connects.length === 2 && isUp(stage), "the declaration");
    const answers = [
      await stage.invoke("demo.once", { idempotencyKey: "k" }),
      await stage.invoke("demo.once", { idempotencyKey: "k" }),
      await stage.invoke("demo.once", { idempotencyKey: "k", paramsJSON: '{"a":1}' }),
    ];
    expect(answers.map(({ payloadJSON }) => payloadJSON)).toEqual(['{"runs":1}', '{"runs":1}', '{"runs":2}']);
  });

  test("survives requests that make no sense", async () => {
    const stage = await connectedStage();
    for (const payload of [{}, { id: 1 }, { id: "x".repeat(5000), command: "device.info" }, { id: "y" }])
      stage.gateway.emit("node.invoke.request", payload);
    stage.gateway.emit("node.invoke.cancel", { invokeId: {} });
    stage.gateway.emit("node.pair.resolved", {});
    expect(await stage.invoke("device.info", { timeoutMs: -1, paramsJSON: 5 })).toMatchObject({ ok: true });
  });
});

describe("the connection", () => {
  test("comes back by itself, as the same device, with the token that the gateway gave it", async () => {
    const hello = { auth: { role: "node", scopes: [], deviceToken: "device-token-1" } };
    const stage = await connectedStage({
      env: { OPENCLAW_GATEWAY_TOKEN: "" },
      onConnect: () => ({ ...helloOk, ...hello }),
    });
    stage.gateway.cut(true);
    await until(() => stage.connects.length === 2 && isUp(stage), "the node to be back");
    const [first, second] = stage.connects;
    expect(second?.device.id).toBe(first?.device.id);
    expect(first?.auth).toBeUndefined();
    expect(second?.auth).toMatchObject({ token: "device-token-1" });
    const file = stage.node.home.file("machine", "device.json");
    await until(async () => (await readFile(file, "utf8")).includes("device-token-1"), "the token in the file");
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  test("is made anew if the gateway no longer counts it", async () => {
    const outdated = new Error("node pairing changed before request dispatch");
    const stage = await setStage({ onPublish: (attempt) => (attempt === 1 ? outdated : undefined) });
    await until(() => stage.connects.length === 2 && isUp(stage), "the second connection");
    expect(await stage.invoke("device.info")).toMatchObject({ ok: true });
  });

  test("is made anew soon if the gateway stops counting it after its first answer", async () => {
    let publishes = 0;
    const stage = await setStage({
      onPublish: (attempt) =>
        ++publishes > 1 && attempt === 1 ? new Error("node pairing changed before request dispatch") : undefined,
    });
    await until(() => stage.connects.length === 2 && isUp(stage), "the second connection");
    expect(await stage.invoke("device.info")).toMatchObject({ ok: true });
  });

  test("that an approval overtakes is tried again, and no one is told to check the credentials", async () => {
    const overtaken = new Error("node pairing changed during connect");
    const stage = await connectedStage({ onConnect: (_, attempt) => (attempt === 1 ? overtaken : undefined) });
    expect(stage.connects).toHaveLength(2);
    const logged = stage.node.logged.join("");
    expect(logged).toContain("while it connected");
    expect(logged).not.toContain("credentials");
  });

  test("waits until the device is paired, and says how", async () => {
    const required = Object.assign(new Error("pairing required"), {
      details: { code: "PAIRING_REQUIRED", requestId: "req-7", reason: "not-paired" },
    });
    const stage = await setStage({ onConnect: (_, attempt) => (attempt === 1 ? required : undefined) });
    await until(() => stage.node.logged.some((line) => line.includes("openclaw devices approve req-7")), "the advice");
    expect((await stage.node.call("app.status")).structuredContent).toMatchObject({
      gateway: { state: "pairing-required" },
    });
    await until(() => isUp(stage), "the connection");
    expect((await stage.node.call("app.status")).structuredContent).toMatchObject({ gateway: { state: "connected" } });
  });
});

test("without the MCP server the node has no port and makes no token", async () => {
  const { node } = await connectedStage({ machine: { enableMcpServer: false } });
  expect(node.node.url).toBeUndefined();
  await expect(stat(node.home.file("mcp-token.txt"))).rejects.toThrow(/ENOENT/);
});

describe("as a process", () => {
  async function startAt(place: Place, gateway: FakeGateway, config: object): Promise<void> {
    await mkdir(place.home, { recursive: true });
    await writeFile(join(place.home, "clawport.json5"), JSON.stringify(config));
    place.env["OPENCLAW_GATEWAY_URL"] = gateway.url;
  }

  test("a hub with `machine.enabled` and `machine.enableNodeMode` is a node, too", async () => {
    await using gateway = await startFakeGateway();
    await using place = await makePlace();
    await startAt(place, gateway, { machine: { enabled: true, enableNodeMode: true }, hub: { port: 0 } });
    await using _hub = await startHub(place);
    await until(() => gateway.caps().some((caps) => caps.includes("device")), "the node of the hub");
    gateway.emit("node.invoke.request", { id: "one", nodeId: "n", command: "device.info" });
    const result = () => gateway.requests.find(({ method }) => method === "node.invoke.result");
    await until(() => result() !== undefined, "the result");
    expect(result()?.params).toMatchObject({ ok: true });
  });

  test("a command that was answered is in the audit, even if the node is killed in that moment", async () => {
    await using gateway = await startFakeGateway();
    await using place = await makePlace();
    await startAt(place, gateway, { machine: { enableNodeMode: true } });
    const preload = join(import.meta.dirname, "kill-with-answer.ts");
    const env = { ...place.env, NODE_OPTIONS: `--import ${preload}` };
    await using node = await startReady({ ...place, env }, "node", "--json");
    await until(() => gateway.caps().length === 1, "the connection");
    gateway.emit("node.invoke.request", { id: "one", nodeId: "n", command: "device.info" });
    expect(await node.ended).toBe("SIGKILL");
    const lines: string[] = [];
    for await (const { tool, outcome } of readAudit({ file: join(place.home, "audit", "calls.jsonl") }))
      lines.push(`${tool} ${outcome}`);
    expect(lines).toEqual(["device.info ok"]);
  });

  test("without MCP, `clawport node` outlives its gateway and stops when it is told to", async () => {
    await using gateway = await startFakeGateway();
    await using place = await makePlace();
    await startAt(place, gateway, { machine: { enableNodeMode: true } });
    await using node = await startReady<{ nodeId: string; url?: string }>(place, "node", "--json");
    expect(node.ready.nodeId).toMatch(/^[0-9a-f]{64}$/);
    expect(node.ready).not.toHaveProperty("url");
    await until(() => gateway.caps().length === 1, "the connection");
    gateway.cut(true);
    await until(() => gateway.caps().length === 0);
    await until(() => gateway.caps().length === 1, "the node to be back");
    node.child.kill("SIGTERM");
    expect(await node.ended).toBe(0);
  });

  test("without MCP, a second start names the first at once, and `clawport stop` ends it", async () => {
    await using gateway = await startFakeGateway();
    await using place = await makePlace();
    await startAt(place, gateway, {
      machine: { enableNodeMode: true, location: { static: { lat: 48.2, lon: 16.37 } } },
      policy: { unattendedApprovals: true },
    });
    await using node = await startReady<{ pid: number }>(place, "node", "--json");
    const { pid } = node.ready;
    for (const command of ["node", "up"]) {
      const second = await clawport(place, command);
      expect(second.exit).toBe(1);
      expect(second.err).toContain(`already running (PID ${pid}); stop it with \`clawport stop\``);
    }
    const call = await clawport(place, "node", "call", "device.info");
    expect(call).toMatchObject({ exit: 1, err: expect.stringContaining("machine.enableMcpServer: true") as string });
    const invoke = async (id: string, command: string, params = {}): Promise<unknown> => {
      gateway.emit("node.invoke.request", { id, nodeId: "n", command, paramsJSON: JSON.stringify(params) });
      const answer = () =>
        gateway.requests.find(({ method, params }) => method === "node.invoke.result" && params["id"] === id);
      await until(() => answer() !== undefined, "the result");
      return answer()?.params["ok"];
    };
    const locate = (id: string) => invoke(id, "location.get");
    await until(() => gateway.caps().length === 1, "the connection");
    expect(await locate("unanswered")).toBe(false);
    expect((await clawport(place, "approve", "1", "--yes")).exit).toBe(0);
    expect(await locate("approved")).toBe(true);
    expect(await locate("once only")).toBe(false);
    expect((await clawport(place, "node", "allow", "location.get", "--yes", "--session")).exit).toBe(0);
    expect(await locate("allowed")).toBe(true);
    // So long that only the node itself has all of it.
    const run = (id: string) => invoke(id, "system.run", { command: ["true", "x".repeat(3000)] });
    expect(await run("a long one")).toBe(false);
    const shown = await clawport(place, "approve", "system.run", "--yes");
    expect(shown).toMatchObject({ exit: 0, err: expect.stringContaining("x".repeat(3000)) as string });
    expect(await run("the same again")).toBe(true);
    expect(await clawport(place, "stop")).toMatchObject({ exit: 0, out: `Stopped the node (PID ${pid}).\n` });
    expect(await node.ended).toBe(0);
    expect((await clawport(place, "stop")).out).toBe("No hub is running.\n");
  });

  test.skipIf(!hasFfmpeg)(
    "without MCP, commands ask the node at its socket, see what it records, and call no tools there",
    { timeout: 60_000 },
    async () => {
      await using gateway = await startFakeGateway();
      await using place = await makePlace();
      const camera = { testDevices: [{ id: "test:slow", source: "testsrc2=size=160x120:rate=5" }] };
      await startAt(place, gateway, { machine: { enableNodeMode: true, camera, consent: { camera: "always" } } });
      await using node = await startReady<{ pid: number }>(place, "node", "--json");
      await until(() => gateway.caps().length === 1, "the connection");
      const invoke = { id: "film", nodeId: "n", command: "camera.clip" };
      const params = { durationMs: 60_000, includeAudio: false };
      gateway.emit("node.invoke.request", { ...invoke, paramsJSON: JSON.stringify(params) });
      const status = async () => JSON.parse((await clawport(place, "status", "--json")).out);
      await until(async () => (await status()).hub?.recording !== undefined, "the recording");
      expect(await status()).toMatchObject({
        hub: { pid: node.ready.pid, recording: [{ what: "camera" }] },
        servers: [],
      });
      expect((await status()).hub).not.toHaveProperty("address");
      expect((await clawport(place, "node", "status")).out).toContain("Recording camera, for ");
      const settings = JSON.parse((await clawport(place, "node", "settings", "--json")).out);
      expect(settings).toMatchObject({ host: "node", status: "Disabled", gateway: { state: "connected" } });

      const home = { path: place.home, file: (...parts: string[]) => join(place.home, ...parts) };
      const agent = createSocketAgent({ path: home.file("hub.sock"), home: place.home });
      const post = async (path: string, key: string) => {
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
        const url = new URL(path, "http://localhost");
        return (await sendHttp({ url, method: "POST", headers, body: "{}", agent })).statusCode;
      };
      const keyOf = (name: "control" | "relay") => readHubKey(hubKeyPath({ home }, name))!.reveal();
      expect(await post("/control/status.read", keyOf("control"))).toBe(200);
      expect(await post("/control/status.read", keyOf("relay"))).toBe(403);
      expect(await post("/control/status.read", "x".repeat(43))).toBe(401);
      for (const path of ["/mcp", "/mcp/machine", "/mcp?relay=cli"])
        expect(await post(path, keyOf("control"))).toBe(404);
      agent.destroy();
      await expect(stat(home.file("mcp-token.txt"))).rejects.toThrow(/ENOENT/);
    },
  );

  test("a gateway that wants a token is said to want it, and what gives it is named", async () => {
    await using place = await makePlace();
    await using gateway = await startFakeGateway(({ method, params }) => {
      const { role, auth } = params as Partial<Connect>;
      if (method !== "connect" || auth?.token === "right") return undefined;
      // In these words OpenClaw refuses an operator and a node that have no credentials.
      if (role === "node") return new Error("unauthorized: gateway token missing (provide gateway auth token)");
      const details = { code: "DEVICE_IDENTITY_REQUIRED" };
      return Object.assign(new Error("device identity required"), { details });
    });
    await startAt(place, gateway, { machine: { enableNodeMode: true, gatewayUrl: gateway.url } });
    delete place.env["OPENCLAW_GATEWAY_URL"];
    place.env["OPENCLAW_GATEWAY_TOKEN"] = "of-another-gateway";
    const status = await clawport(place, "node", "status");
    expect(status.out).not.toContain("does not answer");
    const pair = await clawport(place, "node", "pair");
    expect(pair.exit).toBe(77);
    for (const said of [status.out, pair.err]) {
      expect(said).toContain("No token or password was sent");
      expect(said).toMatch(/`--token` of `clawport node pair` .*, not OPENCLAW_GATEWAY_TOKEN/);
    }
    const sent = gateway.requests.map(({ params }) => JSON.stringify(params)).join("");
    expect(sent).not.toContain("of-another-gateway");
    expect((await clawport(place, "node", "status", "--token", "right")).out).toContain("does not know this computer");
    const wrong = await clawport(place, "node", "pair", "--gateway", gateway.url, "--token", "wrong");
    expect(wrong.err).toContain("Check the token or password for --gateway (`--token`, `--password`)");
  });

  test("a gateway elsewhere is reached by wss:// only", async () => {
    await using place = await makePlace();
    place.env["OPENCLAW_GATEWAY_URL"] = "ws://192.0.2.1:9";
    const { exit, err } = await clawport(place, "node", "status");
    expect(exit).toBe(78);
    expect(err).toContain("wss://");
  });
});

const helloOk = {
  type: "hello-ok",
  protocol: 4,
  server: { version: "fake", connId: "c", bootId: "b" },
  features: { methods: [], events: [] },
  snapshot: {},
  policy: { maxPayload: 26_214_400, maxBufferedBytes: 52_428_800, tickIntervalMs: 30_000 },
};
