import { execFile } from "node:child_process";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { type OutgoingHttpHeaders, request } from "node:http";
import { networkInterfaces } from "node:os";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Capability } from "../../src/sources/machine/capability.ts";
import { until } from "../support/until.ts";
import { startNode, type StartedNode } from "./start-node.ts";

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const jsonType = ["-H", "Content-Type: application/json"];

let node: StartedNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node[Symbol.asyncDispose]());

interface CurlAnswer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/** What curl prints for a request to the node. */
async function curl(...args: readonly string[]): Promise<CurlAnswer> {
  const { stdout } = await promisify(execFile)("curl", ["-s", "-i", "-m", "10", ...args, node.url]);
  const [headers = "", body = ""] = stdout.replace(/^HTTP\/1\.1 100 [^]*?\r\n\r\n/, "").split(/\r\n\r\n([^]*)/);
  return { status: Number(headers.split(" ")[1]), headers: headers.toLowerCase(), body };
}

const bearer = () => ["-H", `Authorization: Bearer ${node.token}`];

describe("the tray's curl examples", () => {
  test("a page of another origin gets 403", async () => {
    expect(await curl("-X", "POST", "-H", "Origin: https://evil.com", ...jsonType, "-d", "{}")).toMatchObject({
      status: 403,
    });
  });

  test("a rebound host name gets 403", async () => {
    expect(await curl("-X", "POST", "-H", "Host: evil.com", ...jsonType, "-d", "{}")).toMatchObject({ status: 403 });
  });

  test("any type but JSON gets 415", async () => {
    expect(await curl("-X", "POST", "-H", "Content-Type: text/plain", "--data", ping)).toMatchObject({ status: 415 });
  });

  test("a missing or wrong token gets 401 without a body, on every verb", async () => {
    const requests = [
      [],
      ["-X", "POST", ...jsonType, "-d", ping],
      ...["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"].map((verb) => [
        "-X",
        verb,
        ...jsonType,
        "-d",
        ping,
      ]),
      ["-I"],
      ["-H", "Authorization: Bearer wrong"],
      ["-H", `Authorization: Basic ${node.token}`],
      ["-H", `Authorization: Bearer ${node.token}x`],
    ];
    for (const request of requests) expect(await curl(...request)).toMatchObject({ status: 401, body: "" });
  });

  test("with the token, GET is a probe, POST is JSON-RPC, and anything else gets 405", async () => {
    const probe = await curl(...bearer());
    expect(probe).toMatchObject({ status: 200 });
    expect(probe.body).toContain("is running");
    const answer = await curl("-X", "POST", ...bearer(), ...jsonType, "-d", ping);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"])
      expect(await curl("-X", method, ...bearer(), ...jsonType, "-d", ping)).toMatchObject({ status: 405 });
  });

  test("a body of more than 4 MiB gets 413, announced or not", async () => {
    const status = (headers: OutgoingHttpHeaders, body: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const own = { "content-type": "application/json", authorization: `Bearer ${node.token}` };
        const sent = request(node.url, { method: "POST", headers: { ...own, ...headers } }, (response) => {
          resolve(response.statusCode);
          sent.destroy();
        });
        sent.on("error", reject);
        sent.write(body);
      });
    expect(await status({ "content-length": 4 * 1024 * 1024 + 1 }, "{")).toBe(413);
    expect(await status({ "transfer-encoding": "chunked" }, `"${"x".repeat(4 * 1024 * 1024)}"`)).toBe(413);
  });

  test("a body of 4 MiB is taken, and JSON may name its charset", async () => {
    const full = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { _meta: { pad: "" } } });
    const pad = "x".repeat(4 * 1024 * 1024 - full.length);
    const answer = await node.post({ jsonrpc: "2.0", id: 1, method: "ping", params: { _meta: { pad } } });
    expect(answer.status).toBe(200);
    const charset = ["-H", "Content-Type: application/json; charset=utf-8"];
    expect(await curl("-X", "POST", ...bearer(), ...charset, "-d", ping)).toMatchObject({ status: 200 });
    for (const type of ["Content-Type:", "Content-Type: application/jsonx", "Content-Type: text/json"])
      expect(await curl("-X", "POST", ...bearer(), "-H", type, "-d", ping)).toMatchObject({ status: 415 });
  });

  test("tools are listed and called", async () => {
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const { body } = await curl("-X", "POST", ...bearer(), ...jsonType, "-d", list);
    const names = (JSON.parse(body) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
    expect(names.filter((name) => !name.startsWith("canvas."))).toEqual([
      "app.activity", "app.status", "camera.clip", "camera.list", "camera.snap", "clipboard.read", "clipboard.write",
      "device.info", "device.status", "git.status", "location.get", "screen.list", "screen.record", "screen.snapshot",
      "stt.status", "stt.transcribe", "system.execApprovals.get", "system.execApprovals.set", "system.notify", "system.run",
      "system.run.prepare", "system.which", "tts.speak", "tts.status", "windows.focus", "windows.list",
    ]); // prettier-ignore
    const call = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"device.info"}}';
    const answer = JSON.parse((await curl("-X", "POST", ...bearer(), ...jsonType, "-d", call)).body);
    expect(answer.result.structuredContent).toMatchObject({ appVersion: "1.2.3" });
  });
});

describe("the tray's contract", () => {
  test("no answer ever has a CORS header, so a browser's preflight fails", async () => {
    const preflight = ["-X", "OPTIONS", "-H", "Origin: https://evil.com", "-H", "Access-Control-Request-Method: POST"];
    for (const request of [preflight, [], bearer(), ["-X", "POST", ...bearer(), ...jsonType, "-d", ping]])
      expect((await curl(...request)).headers).not.toContain("access-control");
    expect(await curl(...preflight, ...bearer())).toMatchObject({ status: 403 });
  });

  test("localhost and 127.0.0.1 are the names of this computer, with any port or none", async () => {
    const post = ["-X", "POST", ...bearer(), ...jsonType, "-d", ping];
    for (const host of ["127.0.0.1", "localhost", "localhost:8765"])
      expect(await curl(...post, "-H", `Host: ${host}`)).toMatchObject({ status: 200 });
    for (const host of ["localhost.evil.com", "127.0.0.1.nip.io", "0.0.0.0", "evil.com:8765"])
      expect(await curl(...post, "-H", `Host: ${host}`)).toMatchObject({ status: 403 });
  });

  test("only this computer reaches it", async () => {
    const { port } = new URL(node.url);
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === "IPv4" && !internal);
    for (const { address } of outside)
      await expect(fetch(`http://${address}:${port}/`, { signal: AbortSignal.timeout(5000) })).rejects.toThrow(
        "fetch failed",
      );
  });

  test("a client of 2024-11-05 shakes hands", async () => {
    const { result } = await node.rpc("initialize", {
      protocolVersion: "2024-11-05",
      capabilities: {},
      clientInfo: { name: "old", version: "1" },
    });
    expect(result).toMatchObject({
      protocolVersion: "2024-11-05",
      capabilities: { tools: {} },
      serverInfo: { name: "clawport", version: "1.2.3" },
    });
    expect(result?.["instructions"]).toContain("computer of the user");
    expect((await node.post({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202);
  });

  test("a tool that fails is a result; JSON-RPC errors are for the protocol", async () => {
    expect(await node.call("system.run", { command: ["no-such-program"] })).toMatchObject({ isError: true });
    expect(await node.rpc("no/such")).toMatchObject({ error: { code: -32601 } });
    const broken = await fetch(node.url, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${node.token}` },
      body: "{",
    });
    expect(await broken.json()).toMatchObject({ error: { code: -32700 } });
  });

  test("a capability that is registered later is in the next list, also for the gateway, and can be called", async () => {
    const remove = node.node.engine.machine!.registry.register(testCapability("test.echo", (args) => args));
    const listed = async () => ((await node.rpc("tools/list")).result as { tools: { name: string }[] }).tools;
    expect(await listed()).toContainEqual(expect.objectContaining({ name: "test.echo" }));
    expect(node.node.engine.machine!.declared().map(({ name }) => name)).toContain("test.echo");
    expect(await node.text("test.echo", { a: 1 })).toBe('{"a":1}');
    remove();
    expect(await listed()).not.toContainEqual(expect.objectContaining({ name: "test.echo" }));
    expect(node.node.engine.machine!.declared().map(({ name }) => name)).not.toContain("test.echo");
  });

  test("what goes wrong inside a capability is not shown", async () => {
    const remove = node.node.engine.machine!.registry.register(
      testCapability("test.broken", () => {
        throw new TypeError("secret path /home/x");
      }),
    );
    const answer = await node.rpc("tools/call", { name: "test.broken", arguments: {} });
    expect(JSON.stringify(answer)).not.toContain("secret path");
    remove();
  });

  test("what this computer lacks stays in the list, with the reason and what brings it", async () => {
    const tools = ((await node.rpc("tools/list")).result as { tools: { name: string; description: string }[] }).tools;
    const { description = "" } = tools.find(({ name }) => name === "clipboard.read") ?? {};
    expect(description).toMatch(/^Unavailable: there is no display; start the node in your desktop session\./);
    expect(await node.text("clipboard.read")).toMatch(/^CLIPBOARD_UNAVAILABLE: .*there is no display/);
    expect(node.node.engine.machine!.declared().map(({ name }) => name)).not.toContain("clipboard.read");
    const { structuredContent } = await node.call("app.status");
    expect(structuredContent).toMatchObject({
      mcp: { listening: true, url: node.url },
      gateway: { state: "off" },
      capabilities: {
        "clipboard.read": { available: false, consent: "ask" },
        "system.which": { available: true, consent: "always" },
      },
    });
  });

  test("resources and prompts are served", async () => {
    const { result: resources } = await node.rpc("resources/list");
    const uris = (resources as { resources: { uri: string }[] }).resources.map(({ uri }) => uri);
    expect(uris).toEqual(["activity", "notifications", "device", "gateway"].map((name) => `machine://${name}`));
    for (const uri of uris) {
      const { result } = await node.rpc("resources/read", { uri });
      const [content] = (result as { contents: { text: string }[] }).contents;
      expect(() => JSON.parse(content!.text)).not.toThrow();
    }
    await node.text("system.which", { bins: ["git"] });
    const { structuredContent } = await node.call("app.activity", { limit: 1 });
    expect(structuredContent).toMatchObject({ entries: [{ command: "system.which", ok: true, transport: "mcp" }] });
    expect(JSON.stringify(structuredContent)).not.toContain("git");
    const prompt = await node.rpc("prompts/get", { name: "missing-tool", arguments: { tool: "clipboard.read" } });
    expect(JSON.stringify(prompt.result)).toContain("clipboard.read");
  });
});

describe("the token", () => {
  test.skipIf(process.platform === "win32")("has 43 characters, and only its owner can read it", async () => {
    expect(node.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect((await stat(node.node.engine.http!.tokenPath)).mode & 0o777).toBe(0o600);
  });

  test("is made anew if its file is emptied or deleted", async () => {
    await using own = await startNode();
    const { tokenPath } = own.node.engine.http!;
    let known = own.token;
    for (const spoil of [() => writeFile(tokenPath, ""), () => rm(tokenPath)]) {
      await spoil();
      await until(async () => {
        await own.post({});
        const text = (await readFile(tokenPath, "utf8").catch(() => "")).trim();
        return text.length === 43 && text !== known;
      }, "a new token");
      known = (await readFile(tokenPath, "utf8")).trim();
      expect(known).not.toBe(own.token);
    }
  });

  test("is where OPENCLAW_TRAY_DATA_DIR says", async () => {
    const folder = node.home.file("tray");
    await using own = await startNode({ env: { OPENCLAW_TRAY_DATA_DIR: folder } });
    expect(own.node.engine.http!.tokenPath).toBe(`${folder}/mcp-token.txt`);
    expect((await own.post({ jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(200);
    await expect(stat(own.home.file("mcp-token.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("many calls at once", () => {
  test("eight run, the ninth gets 503, and ping is not kept waiting", async () => {
    await using own = await startNode();
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    let running = 0;
    own.node.engine.machine!.registry.register(
      testCapability("test.slow", async () => {
        if (++running === 8) started.resolve();
        await finish.promise;
        return {};
      }),
    );
    const slow = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "test.slow", arguments: {} } };
    const calls = Array.from({ length: 8 }, () => own.post(slow));
    await started.promise;
    const ninth = await own.post(slow);
    expect(ninth.status).toBe(503);
    expect(ninth.headers.get("retry-after")).toBe("1");
    expect(await ninth.json()).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining("already runs 8 calls") },
    });
    expect((await own.rpc("ping")).result).toEqual({});
    expect((await own.rpc("tools/list")).result).toBeDefined();
    finish.resolve();
    for (const call of calls) expect((await call).status).toBe(200);
    expect(await own.text("test.slow")).toBe("{}");
    expect(running).toBe(9);
  });

  test("a call that waits gets the slot that becomes free", async () => {
    await using own = await startNode({ machine: { maxConcurrent: 1 } });
    const first = Promise.withResolvers<void>();
    own.node.engine.machine!.registry.register(
      testCapability("test.slow", async ({ wait }) => {
        if (wait === true) await first.promise;
        return {};
      }),
    );
    const waiting = own.text("test.slow", { wait: true });
    await until(async () => (await own.rpc("tools/call", { name: "test.slow", arguments: {} })).error !== undefined);
    const next = own.text("test.slow");
    first.resolve();
    expect(await waiting).toBe("{}");
    expect(await next).toBe("{}");
  });

  test("a node that stops lets a running call finish", async () => {
    const own = await startNode();
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    own.node.engine.machine!.registry.register(
      testCapability("test.slow", async () => {
        started.resolve();
        await finish.promise;
        return { done: true };
      }),
    );
    const call = own.text("test.slow");
    await started.promise;
    const closing = own[Symbol.asyncDispose]();
    const status = () =>
      own.post({ jsonrpc: "2.0", id: 1, method: "ping" }).then(
        (response) => response.status,
        () => 0,
      );
    await until(async () => (await status()) !== 200, "new requests to be refused");
    finish.resolve();
    expect(await call).toBe('{"done":true}');
    await closing;
  });

  test("a call has a deadline", async () => {
    await using own = await startNode({ machine: { callTimeoutMs: 1000 } });
    own.node.engine.machine!.registry.register(testCapability("test.stuck", () => new Promise(() => {})));
    expect(await own.text("test.stuck")).toMatch(/^TIMEOUT: /);
  });
});

/** A capability that takes any arguments. */
function testCapability(name: string, run: (args: Readonly<Record<string, unknown>>) => unknown): Capability {
  return {
    name,
    title: name,
    description: "For a test.",
    risk: "read",
    consent: "always",
    input: { type: "object" },
    output: { type: "object" },
    run: async (args) => ({ payload: (await run(args)) as Record<string, unknown> }),
  };
}
