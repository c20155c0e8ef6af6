import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startHub } from "../support/cli/run-clawport.ts";
import { placeWith, runHere } from "../support/cli/test-home.ts";
import { until } from "../support/until.ts";
import { program } from "../setup/programs.ts";

const serverFile = program("tests/servers/fixtures/schema-server.ts");

test("generated schemas are checked, and one that can't be checked leaves its tool callable", async () => {
  await using place = await placeWith({ odd: { command: process.execPath, args: [serverFile], arguments: "check" } });
  const call = async (tool: string, args: object) => {
    const { out, err } = await runHere(place, ["call", `odd__${tool}`, JSON.stringify(args)]);
    return out + err;
  };
  const findings = async (): Promise<string[]> => {
    const { out } = await runHere(place, ["doctor", "--json"]);
    const all = JSON.parse(out) as { findings: { check: string; level: string; what: string }[] };
    return all.findings.filter(({ check }) => check === "schemas").map(({ what }) => what);
  };
  await using _ = await startHub(place, "--port", "0");

  const tree = { name: "root", children: [{ name: "leaf" }] };
  expect(await call("cyclic", { tree })).toContain(JSON.stringify({ tree }));
  expect(await call("recursive", tree)).toContain(JSON.stringify(tree));
  const wrong = { name: "root", children: [{ name: 7 }] };
  expect(await call("cyclic", { tree: wrong })).toContain("tree.children[0].name: expected string, got number");
  expect(await call("recursive", wrong)).toContain("children[0].name: expected string, got number");

  expect(await call("remote", { place: "anywhere" })).toContain(JSON.stringify({ place: "anywhere" }));
  const remote = /^tool odd__remote: its arguments are not checked here, the schema refers to another document at/;
  expect(await findings()).toEqual([expect.stringMatching(remote)]);

  const text = `${"a".repeat(40)}b`;
  const slow = "tool odd__slow: its arguments are not checked here, checking against it takes too long";
  await until(async () => {
    expect(await call("slow", { text })).toContain(text);
    return (await findings()).includes(slow);
  });
});

test("the server judges its arguments: what it accepts when called directly, it accepts through the hub", async () => {
  await using place = await placeWith({
    odd: { command: process.execPath, args: [serverFile] },
    checked: { command: process.execPath, args: [serverFile], arguments: "check" },
  });
  await using hub = await startHub(place, "--port", "0");
  const call = async (name: string, args: object) => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    const headers = {
      authorization: `Bearer ${(await readFile(hub.ready.tokenPath, "utf8")).trim()}`,
      "content-type": "application/json",
      accept: "application/json",
    };
    const response = await fetch(hub.ready.url, { method: "POST", headers, body: JSON.stringify(body) });
    return ((await response.json()) as { result: { isError?: boolean; content: { text: string }[] } }).result;
  };
  let deep: object = { name: "x" };
  for (let level = 0; level < 100; level++) deep = { deep };
  for (const args of [{ name: 7 }, { name: null }, { extra: true }, deep]) {
    expect(await call("odd__recursive", args)).toEqual({ content: [{ type: "text", text: JSON.stringify(args) }] });
    expect(await call("checked__recursive", args)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^Wrong arguments for checked__recursive: /) }],
    });
  }
  const asJson = await runHere(place, ["call", "odd__recursive", '{"name":7}']);
  expect(asJson).toMatchObject({ exit: 0, out: '{"name":7}\n' });
  expect(asJson.err).toContain("name: expected string, got number");
});
