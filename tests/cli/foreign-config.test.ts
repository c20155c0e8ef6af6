import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makePlace, type Place, startHub } from "../support/cli/run-clawport.ts";
import { runHere, shelf } from "../support/cli/test-home.ts";
import { until } from "../support/until.ts";

const servers = { shelf: shelf("one") };

test.each([
  ["mcp.json", { mcpServers: servers }],
  ["openclaw.json", { gateway: { mode: "local" }, mcp: { servers } }],
  ["openclaw.json", { plugins: { entries: { "mcp-client": { enabled: true, config: { servers, debug: false } } } } }],
])("--config reads %s of another program, and nothing is written to it", async (name, content) => {
  await using place = await placeWithFile(name, content);
  const run = (...argv: string[]) => runHere(place, [...argv, "--config", name]);
  const before = await readFile(join(place.folder, name), "utf8");
  const listed = await run("tools", "--json");
  expect([listed.exit, listed.err]).toEqual([0, expect.not.stringContaining("not known")]);
  expect(listed.out).toContain("shelf__put");

  const edits = [
    ["connect", "https://other.example/mcp", "--name", "other"],
    ["connect", "https://other.example/mcp", "--name", "other", "--force"],
    ["disconnect", "shelf", "--remove"],
    ["import"],
  ];
  for (const edit of edits) {
    const { exit, err } = await run(...edit);
    expect([exit, err]).toEqual([
      78,
      expect.stringContaining("another program, which can't be edited here. Run `clawport import --from "),
    ]);
  }
  expect(await readFile(join(place.folder, name), "utf8")).toBe(before);
});

test("the example of the contract is valid, and what is left out of such a file is reported", async () => {
  const text = await readFile(new URL("../import/home/plugin/openclaw.json", import.meta.url), "utf8");
  await using place = await placeWithFile("openclaw.json", JSON.parse(text) as object);
  const { exit, out } = await runHere(place, ["config", "check", "--config", "openclaw.json"]);
  expect(exit).toBe(0);
  expect(out).toContain("servers context7, tavily, github-mcp, local-filesystem, private-corp-server");
  expect(out).toMatch(/typo is left out: .*comand/);
  expect(out).not.toContain("secret-from-vault");
});

test("import takes the servers of an openclaw.json, by its name and as a file", async () => {
  await using place = await placeWithFile("openclaw.json", {
    plugins: { entries: { "mcp-client": { config: { servers } } } },
  });
  const env = { ...place.env, OPENCLAW_CONFIG_PATH: join(place.folder, "openclaw.json") };
  for (const from of ["openclaw", "./openclaw.json"]) {
    const { exit, out } = await runHere({ ...place, env }, ["import", "--from", from, "--dry-run"]);
    expect([exit, out]).toEqual([0, expect.stringContaining("shelf")]);
  }
});

test("a hub follows the edits of such a file", async () => {
  await using place = await placeWithFile("mcp.json", { mcpServers: servers });
  await using hub = await startHub(place, "--port", "0", "--config", "mcp.json");
  await writeFile(join(place.folder, "mcp.json"), JSON.stringify({ mcpServers: { ...servers, second: shelf("two") } }));
  await until(async () => (await runHere(place, ["servers", "--json"])).out.includes("second"));
  expect(hub.child.exitCode).toBeNull();
});

async function placeWithFile(name: string, content: object): Promise<Place> {
  const place = await makePlace();
  await writeFile(join(place.folder, name), JSON.stringify(content));
  return place;
}
