import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makePlace, startHub } from "../support/cli/run-clawport.ts";
import { until } from "../support/until.ts";
import { program } from "../setup/programs.ts";

const file = program("tests/results/flood-server.ts");

async function connect(url: string, tokenPath: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
  const headers = { authorization: `Bearer ${(await readFile(tokenPath, "utf8")).trim()}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

test.each([{}, { results: { maxTokens: "off" } }])(
  "a result with too many blocks is an error that names the limit, and others are answered meanwhile (%j)",
  async (settings) => {
    await using place = await makePlace();
    await mkdir(place.home, { mode: 0o700 });
    const servers = { flood: { command: process.execPath, args: [file] } };
    await writeFile(join(place.home, "clawport.json5"), JSON.stringify({ servers, ...settings }));
    await using hub = await startHub(place, "--port", "0");
    const { url, tokenPath } = hub.ready;
    const [client, other] = [await connect(url, tokenPath), await connect(url, tokenPath)];
    await until(async () => (await client.listTools()).tools.length >= 3);

    let isOver = false;
    const flood = client
      .callTool({ name: "flood__million", arguments: {} }, { timeout: 60_000 })
      .finally(() => (isOver = true));
    let pings = 0;
    for (; !isOver; pings++) await other.ping();
    expect(pings).toBeGreaterThan(0);
    expect(await flood).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("more than 500,000 values") as string }],
    });

    const text = "its result was dropped: it has 10,001 content blocks, and 10,000 are the most";
    expect(await client.callTool({ name: "flood__more", arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(text) as string }],
    });
    expect((await client.callTool({ name: "flood__ten-thousand", arguments: {} })).isError).not.toBe(true);
    await client.close();
    await other.close();
  },
  90_000,
);
