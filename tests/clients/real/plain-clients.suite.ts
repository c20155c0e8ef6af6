import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { installPackage } from "../../../conformance/install-package.ts";
import type { Place } from "../../support/cli/run-clawport.ts";
import { type HubWorld, openHubWorld } from "./hub-world.ts";
import { pixel } from "./probe-server.ts";
import { runClient } from "./run-client.ts";

/** Clients without a model, connected with the address and the token that `clawport clients` prints. */

const folders = { mcporter: "", "mcp-remote": "", inspector: "" };

beforeAll(async () => {
  folders.mcporter = await installPackage("mcporter", "0.12.3", "mcporter");
  folders["mcp-remote"] = await installPackage("mcp-remote", "0.15.1", "mcp-remote");
  folders.inspector = await installPackage("@modelcontextprotocol/inspector", "2.12.0", "inspector");
});

async function connectionOf({ hub }: HubWorld): Promise<{ url: string; authorization: string }> {
  return { url: hub.url, authorization: `Bearer ${(await readFile(hub.tokenPath, "utf8")).trim()}` };
}

/** Lists, calls, gets an image, restarts the hub between two calls, and waits for a silent call. Returns the answers. */
async function walkThrough(world: HubWorld, list: () => Promise<string>, call: Call): Promise<readonly string[]> {
  const before = [await list(), await call("probe__echo", { word: "one" }), await call("probe__picture", {})];
  await world.restart();
  return [...before, await call("probe__echo", { word: "two" }), await call("probe__silent", { seconds: 45 })];
}

const expected = ["probe__echo", "ECHO-one", pixel, "ECHO-two", "SILENT-45"].map((part): unknown =>
  expect.stringContaining(part),
);

type Call = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<string>;

describe.concurrent("with the printed address and token", () => {
  test("mcporter", async () => {
    await using world = await openHubWorld();
    const { url, authorization } = await connectionOf(world);
    const config = join(world.place.folder, "mcporter.json");
    const clawport = { url, headers: { Authorization: authorization } };
    await writeFile(config, JSON.stringify({ mcpServers: { clawport } }));
    const place: Place = { ...world.place, env: { ...world.place.env, MCPORTER_CALL_TIMEOUT: "120000" } };
    const run = (...args: string[]): Promise<string> =>
      runClient(place, join(folders.mcporter, "dist", "cli.js"), ["--config", config, ...args]);
    const answers = await walkThrough(
      world,
      () => run("list", "clawport"),
      (tool, args) => run("call", `clawport.${tool}`, "--args", JSON.stringify(args), "--output", "raw"),
    );
    expect(answers).toEqual(expected);
  });

  test("the Inspector", async () => {
    await using world = await openHubWorld();
    const { url, authorization } = await connectionOf(world);
    const run = (...args: string[]): Promise<string> =>
      runClient(world.place, join(folders.inspector, "clients", "launcher", "build", "index.js"), [
        "--cli",
        url,
        "--header",
        `Authorization: ${authorization}`,
        "--format",
        "json",
        ...args,
      ]);
    const words = (args: Readonly<Record<string, unknown>>): string[] =>
      Object.entries(args).flatMap(([name, value]) => ["--tool-arg", `${name}=${String(value)}`]);
    const answers = await walkThrough(
      world,
      () => run("--method", "tools/list"),
      (tool, args) => run("--method", "tools/call", "--tool-name", tool, ...words(args)),
    );
    expect(answers).toEqual(expected);
  });

  test("mcp-remote, for clients that start commands only", async () => {
    await using world = await openHubWorld();
    const { url, authorization } = await connectionOf(world);
    const client = new Client({ name: "test", version: "1" });
    const args = [join(folders["mcp-remote"], "dist", "proxy.js"), url, "--header", `Authorization:${authorization}`];
    const env = { PATH: world.place.env["PATH"] ?? "", HOME: world.place.folder };
    const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" });
    await client.connect(transport);
    try {
      const answers = await walkThrough(
        world,
        async () => JSON.stringify(await client.listTools()),
        async (name, input) =>
          JSON.stringify(await client.callTool({ name, arguments: input }, undefined, { timeout: 120_000 })),
      );
      expect(answers).toEqual(expected);
    } finally {
      await client.close();
    }
  });
});
