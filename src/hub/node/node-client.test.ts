import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Home, openHome } from "../../core/files/home.ts";
import { createLiveLog } from "../../core/log.ts";
import { findNode } from "./node-client.ts";

let home: Home;
beforeEach(async () => {
  home = await openHome(await mkdtemp(join(tmpdir(), "node-client-")));
  await writeFile(home.file("mcp-token.txt"), `${"t".repeat(43)}\n`, { mode: 0o600 });
});
afterEach(() => rm(home.path, { recursive: true, force: true }));

const find = (url: string, env = {}) =>
  findNode({ env, log: createLiveLog({ level: "error", format: "human", write: () => {} }) }, home, { url });

test("the token goes to a program of the same user at 127.0.0.1, and to no port that no program holds", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const isKnown = process.platform === "linux";
  for (const host of ["127.0.0.1", "localhost"])
    expect((await find(`http://${host}:${port}/`)).token?.reveal()).toBe(isKnown ? "t".repeat(43) : undefined);
  server.close();
  await once(server, "close");
  expect((await find(`http://127.0.0.1:${port}/`)).token).toBeUndefined();
});

test.each([
  "https://example.com/",
  "https://127.0.0.1.example.com/",
  "https://localhost.example.com/",
  "https://10.0.0.1/",
])("the token of this computer does not go to %s", async (url) => {
  expect((await find(url)).token).toBeUndefined();
  expect((await find(url, { OPENCLAW_MCP_TOKEN: "given" })).token?.reveal()).toBe("given");
});

test("no token goes anywhere unencrypted, except to this computer", async () => {
  await expect(find("http://example.com/")).rejects.toMatchObject({ code: "usage" });
  await expect(find("http://user:pass@127.0.0.1/")).rejects.toMatchObject({ code: "usage" });
});
