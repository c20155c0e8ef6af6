import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openHome } from "../../src/core/files/home.ts";
import { silentLog } from "../../src/core/log.ts";
import { ensureClientToken } from "../../src/hub/clients/client-token.ts";
import { clawport, mainFile, type Place, startHub } from "../support/cli/run-clawport.ts";
import { placeWith, shelf } from "../support/cli/test-home.ts";
import { program } from "../setup/programs.ts";

vi.setConfig({ testTimeout: 60_000 });

const changingFile = program("tests/cli/fixtures/changing-server.ts");
const three = ["search_tools", "describe_tool", "call_tool"];
const scriptTools = ["run_script", "script_result"];

async function serveStdio(place: Place, ...options: string[]): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
  const args = [mainFile, "serve", "--stdio", ...options];
  const env = place.env as Record<string, string>;
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, cwd: place.folder, stderr: "ignore" }),
  );
  return client;
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
const textOf = async (client: Client, name: string, args: Record<string, unknown>) =>
  JSON.stringify((await client.callTool({ name, arguments: args })).content);

test.each([["alone"], ["from a hub"]])("serve --stdio --surface search (%s) finds and calls the tools", async (how) => {
  await using place = await placeWith({ a: shelf("a"), b: shelf("b") });
  await using hub = how === "alone" ? undefined : await startHub(place, "--port", "0");
  expect(hub === undefined).toBe(how === "alone");
  const client = await serveStdio(place, "--surface", "search");
  expect((await namesOf(client)).toSorted()).toEqual(
    [...three, "read_result", "search_result", ...scriptTools].toSorted(),
  );
  expect(await textOf(client, "search_tools", { query: "put something on the shelf" })).toContain("b__put(");
  expect(await textOf(client, "search_tools", { query: "xylophone" })).toMatch(/Servers: a \(\d+\), b \(\d+\)"/);
  expect(client.getInstructions()).toContain("called with call_tool: a, b.");
  const direct = await textOf(client, "b__pid", {});
  expect(await textOf(client, "call_tool", { name: "b__pid" })).toBe(direct);
  await client.close();
});

test.each([["alone"], ["from a hub"]])(
  "tools that are named like ours can be called under search (%s)",
  async (how) => {
    await using place = await placeWith({});
    const file = join(place.folder, "offered.json");
    await writeFile(file, JSON.stringify({ tools: [{ name: "call_tool" }, { name: "read_result" }] }));
    await place.configure({ bare: { command: process.execPath, args: [changingFile, file], toolPrefix: "" } });
    await using hub = how === "alone" ? undefined : await startHub(place, "--port", "0");
    expect(hub === undefined).toBe(how === "alone");
    const client = await serveStdio(place, "--surface", "search");
    const names = await namesOf(client);
    expect(names).toEqual(expect.arrayContaining([...three, "clawport_read_result", "search_result"]));
    for (const name of ["call_tool", "read_result"])
      expect(await textOf(client, "call_tool", { name, arguments: { echoed: name } })).toContain(
        `echoed\\":\\"${name}`,
      );
    await client.close();
  },
);

test.each([["alone"], ["from a hub"]])("an edited surface reaches the client of `serve --stdio` (%s)", async (how) => {
  await using place = await placeWith({ a: shelf("a") });
  await using hub = how === "alone" ? undefined : await startHub(place, "--port", "0");
  expect(hub === undefined).toBe(how === "alone");
  // Unless it was started with one.
  const [client, fixed] = [await serveStdio(place), await serveStdio(place, "--surface", "full")];
  const changed = new Promise((resolve) => client.setNotificationHandler("notifications/tools/list_changed", resolve));
  expect((await namesOf(client)).slice(0, 3)).not.toEqual(three);
  const edited = { servers: { a: shelf("a") }, hub: { surface: "search", always: ["a__pid"] } };
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify(edited));
  await changed;
  expect((await namesOf(client)).toSorted()).toEqual(
    [...three, "a__pid", "read_result", "search_result", ...scriptTools].toSorted(),
  );
  expect(await namesOf(fixed)).toContain("a__put");
  // What can't be used changes nothing.
  await writeFile(join(place.home, "clawport.json5"), "{ hub: { surface: 'none' } }");
  const again = new Promise((resolve) => client.setNotificationHandler("notifications/tools/list_changed", resolve));
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify({ ...edited, hub: { surface: "full" } }));
  await again;
  expect(await namesOf(client)).toContain("a__put");
  await Promise.all([client.close(), fixed.close()]);
});

test("a token chooses the surface of its client, and the status shows what each got", async () => {
  await using place = await placeWith({ a: shelf("a") });
  await using hub = await startHub(place, "--port", "0");
  const added = await clawport(place, "token", "add", "phone", "--surface", "search");
  expect(added.err).toContain("`clawport token remove phone` revokes it.");
  const token = added.out.trim();
  const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(hub.ready.url), { requestInit }));
  expect((await namesOf(client)).slice(0, 3)).toEqual(three);
  await client.close();
  const full = new Client({ name: "test", version: "1" }, { capabilities: {} });
  const fullUrl = new URL(`${hub.ready.url}?surface=full`);
  await full.connect(new StreamableHTTPClientTransport(fullUrl, { requestInit }));
  expect(await namesOf(full)).toContain("a__put");
  await full.close();
  const why = "(its token or address says so)";
  expect((await clawport(place, "status")).out).toContain(
    `  Surfaces        phone/test full ${why}\n                  phone/test search ${why}\n`,
  );
  expect((await clawport(place, "token", "list")).out).toMatch(/phone +everything +search/);
});

test("the hub's status shows what clients of `serve --stdio` got, also after the hub was started again", async () => {
  await using place = await placeWith({ a: shelf("a") });
  const hub = await startHub(place, "--port", "0");
  const home = await openHome(place.home);
  await ensureClientToken({ home, log: silentLog }, "cursor");
  const [owner, installed] = [
    await serveStdio(place),
    await serveStdio(place, "--as", "cursor", "--surface", "search"),
  ];
  await Promise.all([namesOf(owner), namesOf(installed)]);
  const surfaces = async () => {
    const { out } = await clawport(place, "status", "--json");
    const { hub } = JSON.parse(out) as { hub: { surfaces: Record<"caller" | "client" | "surface" | "why", string>[] } };
    return hub.surfaces
      .toSorted((a, b) => a.caller.localeCompare(b.caller))
      .map(({ caller, client, surface, why }) => ({ caller, client, surface, why }));
  };
  // A relay reads the whole list itself, which is not what its client gets.
  const expected = [
    { caller: "cursor", client: "test", surface: "search", why: "as configured" },
    { caller: "stdio", client: "test", surface: "full", why: "the list is small" },
  ];
  await expect.poll(surfaces, { timeout: 10_000 }).toEqual(expected);
  expect((await clawport(place, "status")).out).toContain("stdio/test full (the list is small)");
  hub.child.kill("SIGINT");
  await hub.ended;
  await using _again = await startHub(place, "--port", "0");
  await expect.poll(surfaces, { timeout: 20_000 }).toEqual(expected);
  await Promise.all([owner.close(), installed.close()]);
});

test.each([
  [["token", "add", "x", "--surface", "nothing"], "--surface"],
  [["token", "add", "x", "--surface", "search", "--metrics"], "leave out `--surface`"],
  [["token", "add", "x", "--surface", "search", "--view", "a"], "leave out `--surface`"],
  [["serve", "--stdio", "--surface", "nothing"], "--surface"],
])("%j is refused", async (argv, reason) => {
  await using place = await placeWith({ a: shelf("a") });
  const { exit, err } = await clawport(place, ...argv);
  expect(exit).toBe(2);
  expect(err).toContain(reason);
});
