import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { listenHere } from "../support/listen-here.ts";
import { placeWith, runHere } from "../support/cli/test-home.ts";

vi.setConfig({ testTimeout: 60_000 });

const key = "k-3f9a1c77e0b24d55";

/** A real server that wants a key and knows nothing of OAuth. */
async function startServerWithKey(challenge?: string) {
  const handle = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: "keyed", version: "1" });
      server.registerTool("read", { inputSchema: z.object({}) }, () => ({ content: [{ type: "text", text: "done" }] }));
      return server;
    }),
  );
  const http = createServer((request, response) => {
    if (!request.url?.startsWith("/mcp")) return void response.writeHead(404).end();
    if (request.headers.authorization === `Bearer ${key}`)
      return void handle(request as Parameters<typeof handle>[0], response);
    response.writeHead(401, challenge === undefined ? {} : { "www-authenticate": challenge }).end();
  });
  const listening = await listenHere(http);
  return { url: `${listening.origin}/mcp`, [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose]() };
}

test.each([undefined, 'Bearer realm="keyed"'])(
  "a server without OAuth (%s) leads to a key, which connect then sets",
  async (challenge) => {
    await using server = await startServerWithKey(challenge);
    await using place = await placeWith({ keyed: { url: server.url, connectTimeoutMs: 20_000 } });
    const advice = "clawport connect keyed --api-key";
    for (const argv of [["connect", "keyed"], ["auth", "keyed"], ["servers"]]) {
      const { out, err } = await runHere(place, argv);
      expect(out + err).toContain(advice);
      expect(out + err).not.toContain("PKCE");
    }
    const set = await runHere({ ...place, env: { ...place.env, KEYED: key } }, [
      "connect",
      "keyed",
      "--api-key",
      "$KEYED",
    ]);
    expect([set.exit, set.err]).toEqual([0, expect.any(String)]);
    expect(set.out).toContain("read");
    const config = JSON.parse(await readFile(join(place.home, "clawport.json5"), "utf8")) as object;
    expect(config).toEqual({ servers: { keyed: { url: server.url, connectTimeoutMs: 20_000, apiKey: "$KEYED" } } });
  },
);

test("headers and variables of a configured server are set one by one", async () => {
  await using server = await startServerWithKey();
  await using place = await placeWith({ keyed: { url: server.url, headers: { "x-team": "a" } } });
  const set = await runHere(place, ["connect", "keyed", "--header", `authorization: Bearer ${key}`]);
  expect(set.exit).toBe(0);
  const config = JSON.parse(await readFile(join(place.home, "clawport.json5"), "utf8")) as object;
  const headers = { "x-team": "a", authorization: `Bearer ${key}` };
  expect(config).toEqual({ servers: { keyed: { url: server.url, headers } } });
});

test("a key that does not fit the server leaves the configuration as it was", async () => {
  await using place = await placeWith({ local: { command: "no-such-program" } });
  const before = await readFile(join(place.home, "clawport.json5"), "utf8");
  const { exit, err } = await runHere(place, ["connect", "local", "--api-key", key]);
  expect([exit, err]).toEqual([2, expect.stringContaining("use --env <NAME=value>")]);
  expect(await readFile(join(place.home, "clawport.json5"), "utf8")).toBe(before);
});

test.each(["@modelcontextprotocol/server-memory", "some-mcp-server-nobody-installed", "@scope/server@1.2.3"])(
  "the name of a package (%s) is recognised, and the command that runs it proposed",
  async (name) => {
    await using place = await placeWith({});
    const { exit, err } = await runHere(place, ["connect", name]);
    expect([exit, err]).toEqual([69, expect.stringContaining(`connect -- npx -y ${name}`)]);
  },
);
