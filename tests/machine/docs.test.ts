import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, test } from "vitest";
import { isWindows } from "../support/cli/run-clawport.ts";
import { startNode, type StartedNode } from "./start-node.ts";

const page = await readFile(new URL("../../docs/node.md", import.meta.url), "utf8");

/** The blocks of code in one section of the page. */
function blocksOf(section: string): readonly string[] {
  const [, text = ""] = page.split(`\n## ${section}\n`);
  const [own = ""] = text.split("\n## ");
  return Array.from(own.matchAll(/```\w*\n([^]*?)```/g), ([, code = ""]) => code);
}

/** Runs the lines as they are written, at the node of the test. */
async function runLines(node: StartedNode, lines: string): Promise<string> {
  const script = lines
    .replace(/^TOKEN=.*$/m, "")
    .replaceAll("http://127.0.0.1:8765/", node.url)
    .replaceAll("curl ", "curl -sS -m 10 ");
  const { stdout } = await promisify(execFile)("sh", ["-ec", script], {
    env: { PATH: process.env["PATH"], TOKEN: node.token },
  });
  return stdout;
}

test.skipIf(isWindows)('the requests of "Try it" do what the page says', async () => {
  await using node = await startNode();
  const [good = "", refused = ""] = blocksOf("Try it");
  const answered = await runLines(node, good);
  expect(answered).toContain("is running");
  expect(answered).toContain('"name":"system.run"');
  expect(answered).toContain('"appVersion":"1.2.3"');
  const statuses = Array.from((await runLines(node, refused)).matchAll(/^HTTP\/1\.1 (\d+)/gm), ([, code]) =>
    Number(code),
  );
  expect(statuses).toEqual([403, 403, 415, 401, 405]);
  expect(page).toContain(`in this order of checks: ${statuses.slice(0, 4).join(", ")} without a body, 405.`);
});

test("the entry for Claude Code connects a client", async () => {
  await using node = await startNode();
  const [block = ""] = blocksOf("Clients");
  const { mcpServers } = JSON.parse(block.replace("${CLAWPORT_TOKEN}", node.token));
  const { type, url, headers } = mcpServers["this-computer"];
  expect({ type, url }).toEqual({ type: "http", url: "http://127.0.0.1:8765/" });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(node.url), { requestInit: { headers } }));
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("screen.snapshot");
  await client.close();
  const without = new Client({ name: "test", version: "1" });
  await expect(without.connect(new StreamableHTTPClientTransport(new URL(node.url)))).rejects.toMatchObject({
    code: 401,
  });
});
