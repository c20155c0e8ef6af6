import { expect, test } from "vitest";
import { openDoor } from "../../../tests/doors/open-door.ts";
import { startGuard } from "../../../tests/support/start-guard.ts";
import { testSource } from "../../../tests/support/test-source.ts";
import { narrowNames } from "../../catalog/names.ts";
import type { HttpDoorOptions } from "./http-door.ts";

const long = "describe_everything_about_this_repository_and_more";
const everyClient = /^[a-zA-Z0-9_-]{1,48}$/;

async function open(options: Partial<HttpDoorOptions> = {}, prefix = "mac") {
  const door = await openDoor(options);
  door.catalog.add(
    testSource({
      id: prefix,
      prefix,
      tools: ["screen.snapshot", "screen_snapshot", long],
      prompts: () => [{ name: "plan.day" }],
      getPrompt: async (name) => ({ messages: [{ role: "user", content: { type: "text", text: name } }] }),
    }),
  );
  const request = async (path: string, method: string, params: object = {}) => {
    const response = await fetch(`http://127.0.0.1:${door.port}${path}`, {
      method: "POST",
      headers: { authorization: "Bearer main", "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return (await response.json()) as { result?: { tools?: { name: string }[]; prompts?: { name: string }[] } };
  };
  const names = async (path: string) =>
    (await request(path, "tools/list")).result?.tools?.map(({ name }) => name) ?? [];
  return { ...door, request, names };
}

test("at / and /mcp names fit every client; at its own address a source keeps its own", async () => {
  await using door = await open();
  for (const path of ["/", "/mcp"]) {
    const names = await door.names(path);
    expect(names).toHaveLength(5);
    for (const name of names) expect(name).toMatch(everyClient);
    expect(names).toContain("mac__screen_snapshot");
    expect(names.filter((name) => /^mac__screen_snapshot_[0-9a-f]{8}$/.test(name))).toHaveLength(1);
    expect(names.filter((name) => /^mac__describe_everything_[a-z_]+_[0-9a-f]{8}$/.test(name))).toHaveLength(1);
    expect((await door.request(path, "prompts/list")).result?.prompts).toEqual([{ name: "mac__plan_day" }]);
  }
  expect(await door.names("/mcp/mac")).toEqual(["screen.snapshot", "screen_snapshot", long]);
});

test("the full names stay as a setting", async () => {
  await using door = await open({ toolNames: "full" });
  expect(await door.names("/mcp")).toContain("mac__screen.snapshot");
});

test.for(["short", "full"] as const)("a call may use either form, whatever is shown: %s", async (toolNames) => {
  await using door = await open({ toolNames });
  const dotted = narrowNames(["mac__screen.snapshot", "mac__screen_snapshot"]).narrow.get("mac__screen.snapshot")!;
  const called = async (name: string) =>
    JSON.stringify(await door.request("/mcp", "tools/call", { name, arguments: {} }));
  expect(await called("mac__screen.snapshot")).toContain('"text":"screen.snapshot"');
  expect(await called("mac__screen_snapshot")).toContain('"text":"screen_snapshot"');
  expect(await called("mac__screen_snapshot")).toContain('"text":"screen_snapshot"');
  expect(await called(dotted)).toContain('"text":"screen.snapshot"');
  for (const name of ["mac__plan.day", "mac__plan_day"])
    expect(JSON.stringify(await door.request("/mcp", "prompts/get", { name }))).toContain('"text":"plan.day"');
});

test("names stay the same while another server with a look-alike prefix connects and disconnects", async () => {
  await using door = await open({}, "my.mac");
  const other = testSource({ id: "my_mac", prefix: "my_mac", tools: [] });
  door.catalog.add(other);
  const before = await door.names("/mcp");
  other.offer([{ name: "screen_snapshot", inputSchema: { type: "object" } }]);
  const during = await door.names("/mcp");
  expect(during).toEqual(
    [...before, "my_mac__screen_snapshot"].toSorted((a, b) => during.indexOf(a) - during.indexOf(b)),
  );
  expect(before).not.toContain("my_mac__screen_snapshot");
});

test("a rule matches a tool by either form, and by no other tool's", async () => {
  await using first = await open();
  const hashed = (await first.names("/mcp")).find((name) => /^mac__screen_snapshot_[0-9a-f]{8}$/.test(name))!;
  for (const tool of ["mac__screen.snapshot", hashed]) {
    await using guarded = await startGuard({ policy: { rules: [{ tool, verdict: "deny" }] } });
    await using door = await open({ guard: guarded.guard });
    const called = async (name: string) =>
      JSON.stringify(await door.request("/mcp", "tools/call", { name, arguments: {} }));
    expect(await called("mac__screen.snapshot")).toContain("denied");
    expect(await called("mac__screen_snapshot")).toContain('"text":"screen_snapshot"');
  }
});

test("a limit counts for a tool by either form", async () => {
  const limits = [{ tool: "mac__describe_everything*", calls: 1, seconds: 1000 }];
  await using guarded = await startGuard({ policy: { limits } });
  await using door = await open({ guard: guarded.guard });
  const called = async () =>
    JSON.stringify(await door.request("/mcp", "tools/call", { name: `mac__${long}`, arguments: {} }));
  expect(await called()).toContain(long);
  expect(await called()).toContain("rate-limited");
});
