import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, test } from "vitest";
import { createSchemaChecker } from "../../src/mcp/schema/schema-checker.ts";
import { startNode } from "./start-node.ts";

test("every tool has schemas and hints, and the official client accepts what they answer", async () => {
  await using node = await startNode({
    machine: { location: { static: { lat: 1, lon: 2 } }, consent: { location: "always" } },
  });
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${node.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(node.url), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  for (const { inputSchema, outputSchema, annotations, description } of tools) {
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(outputSchema).toMatchObject({ type: "object" });
    expect(Object.keys(annotations ?? {})).toEqual(
      expect.arrayContaining(["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]),
    );
    expect(description).not.toBe("");
  }
  const calls: [string, object][] = [
    ["device.info", {}],
    ["device.status", { sections: ["cpu", "memory"] }],
    ["system.which", { bins: ["git", "no-such-program"] }],
    ["app.status", {}],
    ["app.activity", {}],
    ["location.get", { maxAge: 1000, locationTimeout: 1000, accuracy: "high" }],
    ["system.run.prepare", { command: ["id"], timeout: 1000 }],
    ["system.execApprovals.get", {}],
  ];
  for (const [name, args] of calls) {
    const result = await client.callTool({ name, arguments: args as Record<string, unknown> });
    expect(result.isError, `${name}: ${JSON.stringify(result.content)}`).not.toBe(true);
    expect(result.structuredContent).toBeDefined();
  }
  expect(client.getInstructions()).toContain("computer of the user");
  await client.close();
});

test("what a schema does not know is refused", async () => {
  await using node = await startNode();
  for (const [name, args] of [
    ["system.which", { bins: ["../x"] }],
    ["system.which", { bins: [] }],
    ["device.status", { sections: ["secrets"] }],
    ["device.info", { extra: 1 }],
    ["app.activity", { limit: 0 }],
  ] as const)
    expect(await node.text(name, args)).toContain("Wrong arguments");
  expect(await node.text("app.activity", { since: "yesterday" })).toMatch(/^INVALID_REQUEST: /);
});

test("location: the configured position, in OpenClaw's shape", async () => {
  await using node = await startNode({
    machine: { location: { static: { lat: 48.2, lon: 16.37, accuracyMeters: 10 } }, consent: { location: "always" } },
  });
  const { structuredContent } = await node.call("location.get", {
    desiredAccuracy: "precise",
    maxAgeMs: 15_000,
    timeoutMs: 10_000,
  });
  expect(structuredContent).toMatchObject({
    lat: 48.2,
    lon: 16.37,
    accuracyMeters: 10,
    isPrecise: true,
    source: "static",
  });
});

test.skipIf(process.platform === "win32").each([
  ["never answers", () => {}],
  ["hangs up", (socket: Socket) => socket.destroy()],
  ["talks nonsense", (socket: Socket) => socket.write(`OK 0\r\n${"\u0000\u00ff".repeat(5000)}`, "latin1")],
])("a bus that %s does no harm", async (_, greet) => {
  const bus = createServer((socket) => {
    socket.on("error", () => {});
    greet(socket);
  });
  const folder = await mkdtemp(join(tmpdir(), "bus-"));
  await new Promise<void>((resolve) => bus.listen(join(folder, "bus"), resolve));
  const address = `unix:path=${folder}/bus`;
  await using node = await startNode({ env: { DBUS_SYSTEM_BUS_ADDRESS: address, DBUS_SESSION_BUS_ADDRESS: address } });
  expect(await node.text("location.get")).toContain("machine.location.static");
  expect(await node.text("system.notify", { title: "x" })).toMatch(/^NOTIFICATIONS_UNAVAILABLE: /);
  bus.close();
});

describe("git.status", () => {
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });

  async function makeRepositories(root: string) {
    const [inside, outside] = [join(root, "projects", "one"), join(root, "private")];
    for (const folder of [inside, outside]) {
      await mkdir(folder, { recursive: true });
      git(folder, "init", "-q", "-b", "trunk");
      await writeFile(join(folder, "a.txt"), "1");
      git(folder, "add", ".");
      git(folder, "commit", "-q", "-m", "first");
    }
    return { inside: await realpath(inside), outside: await realpath(outside) };
  }

  test("shows branch and files of repositories in the configured folders, and of no others", async () => {
    await using node = await startNode({ machine: { git: { roots: ["~/repos/projects"] } } });
    const { inside, outside } = await makeRepositories(node.home.file("repos"));
    const status = async (path: string) => (await node.call("git.status", { path })).structuredContent;
    expect(await status(inside)).toMatchObject({ root: inside, branch: "trunk", clean: true, files: [], ahead: 0 });
    await writeFile(join(inside, "a.txt"), "2");
    await writeFile(join(inside, "new file.txt"), "2");
    expect(await status(inside)).toMatchObject({
      clean: false,
      files: [
        { path: "a.txt", index: ".", worktree: "M" },
        { path: "new file.txt", index: "?", worktree: "?" },
      ],
    });
    await symlink(outside, join(inside, "link"));
    for (const path of [outside, join(inside, "link"), join(inside, "..", "..", "..", "private"), "/etc", "/no/such"])
      expect(await node.text("git.status", { path })).toMatch(/^PATH_DENIED: /);
    expect(await node.text("git.status", { path: "relative" })).toMatch(/^INVALID_REQUEST: /);
    expect(await node.text("git.status", { path: join(inside, "..") })).toMatch(/^(?:NOT_A_REPOSITORY|PATH_DENIED): /);
  });

  test("runs no program that a repository names", async () => {
    await using node = await startNode({ machine: { git: { roots: ["~/repos/projects"] } } });
    const { inside } = await makeRepositories(node.home.file("repos"));
    const trap = `touch ${node.home.path}/trapped; cat`;
    const settings = [
      "core.fsmonitor",
      "core.pager",
      "filter.trap.clean",
      "filter.trap.smudge",
      "filter.trap.process",
      "diff.external",
    ];
    for (const key of settings) git(inside, "config", key, trap);
    await writeFile(join(inside, ".gitattributes"), "* filter=trap\n");
    await writeFile(join(inside, ".git", "hooks", "post-index-change"), `#!/bin/sh\n${trap}\n`, { mode: 0o755 });
    await writeFile(join(inside, "a.txt"), "3");
    expect((await node.call("git.status", { path: inside })).structuredContent).toMatchObject({ clean: false });
    expect(existsSync(node.home.file("trapped"))).toBe(false);
    // The trap works: plain git runs into it.
    git(inside, "status");
    expect(existsSync(node.home.file("trapped"))).toBe(true);
  });
});

test("the outputs fit their own schemas", async () => {
  await using node = await startNode();
  const checker = createSchemaChecker();
  const tools = new Map(
    node.node.engine.machine!.registry.list().map(({ capability }) => [capability.name, capability]),
  );
  for (const name of ["device.info", "device.status", "app.status", "app.activity", "system.execApprovals.get"]) {
    const { structuredContent } = await node.call(name);
    expect([name, await checker.check(tools.get(name)!.output, structuredContent)]).toEqual([name, { ok: true }]);
  }
});
