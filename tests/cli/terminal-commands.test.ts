import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openApp } from "../../src/app/index.ts";
import { clawport, isWindows, listTools, startHub } from "../support/cli/run-clawport.ts";
import { placeWith, runHere, shelf } from "../support/cli/test-home.ts";
import { openIdleTerminal } from "../support/cli/terminal.ts";
import { until } from "../support/until.ts";

vi.setConfig({ testTimeout: 60_000 });

test("`tools <tool>` and `call <tool> --help` show its schema, its annotations and a call that works", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  const { exit, out } = await clawport(place, "tools", "shelf__put");
  expect(exit).toBe(0);
  expect(out).toMatch(/^shelf__put \(from shelf\)\n\nPuts a thing on the shelf\.\nMore than one, if wanted\.\n/);
  expect(out).toContain("Arguments\n  thing  string, required\n  count  integer\n  tags   array\n  place  object\n");
  expect(out).toContain("Annotations\n  read-only: no, destructive: yes\n");
  expect(out).toContain('"required": [\n      "thing"\n    ]');
  expect((await runHere(place, ["call", "shelf__put", "--help"])).out).toBe(out);

  const { tool, example } = JSON.parse((await runHere(place, ["call", "shelf__put", "--help", "--json"])).out);
  expect(tool).toMatchObject({ name: "shelf__put", source: "shelf", inputSchema: { required: ["thing"] } });
  expect(out).toContain(`Example\n  ${example.command}\n`);
  const made = await runHere(place, ["call", "shelf__put", JSON.stringify(example.arguments)]);
  expect([made.exit, JSON.parse(made.out)]).toEqual([0, example.arguments]);
});

test("a name that is neither a server nor a tool is answered with the nearest of both", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  const of = async (...words: string[]) => (await runHere(place, words)).err;
  expect(await of("tools", "shelv")).toBe('clawport: There is no server or tool "shelv". Did you mean "shelf"?\n');
  expect(await of("tools", "put")).toBe('clawport: There is no server or tool "put". Did you mean "shelf__put"?\n');
  expect(await of("call", "put", "--help")).toBe('clawport: There is no tool "put". Did you mean shelf__put?\n');
});

test("add, list and remove are other names for connect, servers and disconnect --remove", async () => {
  await using place = await placeWith({});
  const { command, args } = shelf("new");
  const added = await clawport(place, "add", "--name", "shelf", "--", command, ...args);
  expect(added).toMatchObject({ exit: 0, out: expect.stringContaining("Added shelf to ") });
  expect(JSON.parse((await runHere(place, ["list", "--json"])).out)).toMatchObject({ servers: [{ name: "shelf" }] });
  expect((await runHere(place, ["remove", "shelf"])).out).toContain("Removed shelf from ");
  expect(await readFile(join(place.home, "clawport.json5"), "utf8")).not.toContain("shelf");
  expect((await runHere(place, ["remove", "--help"])).out).toContain("clawport disconnect <server>");
  expect((await runHere(place, ["lst"])).err).toContain('did you mean "list"?');
  expect((await runHere(place, ["help", "all"])).out).toMatch(/\n {2}remove +disconnect --remove\n/);
});

test.skipIf(isWindows)("`start` is another name for up, and `stop` ends the hub (needs POSIX signals)", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  expect(await clawport(place, "stop")).toEqual({ exit: 0, out: "No hub is running.\n", err: "" });
  await using hub = await startHub(place, "--port", "0");
  expect((await clawport(place, "start")).err).toContain("the hub is already running");
  const stopped = JSON.parse((await clawport(place, "stop", "--json")).out);
  expect(stopped).toEqual({ stopped: { address: `http://127.0.0.1:${hub.ready.port}`, pid: hub.ready.pid } });
  expect(await hub.ended).toBe(0);
  expect(JSON.parse((await runHere(place, ["stop", "--json"])).out)).toEqual({ stopped: null });
});

test("tables fit the width of the terminal and are coloured there, unless NO_COLOR is set", async () => {
  await using place = await placeWith({ shelf: shelf("one"), gone: { command: "no-such-program" } });
  const shownAt = async (columns: number, env: object = {}, ...words: string[]) => {
    let out = "";
    const stdout = { isTTY: true, columns, write: (text: string) => (out += text) };
    const argv = words.length === 0 ? ["servers"] : words;
    await runHere(place, argv, { stdout, env: { ...place.env, ...env } });
    return out;
  };
  const plain = (await shownAt(60, { NO_COLOR: "1" })).split("\n\n")[0]!;
  expect(plain).not.toContain("\u001B");
  expect(Math.max(...plain.split("\n").map(({ length }) => length))).toBe(60);
  const coloured = await shownAt(200);
  expect(coloured).toContain("\u001B[1mNAME");
  expect(coloured).toContain("\u001B[32mRunning (PID ");
  expect(await shownAt(80, {}, "status")).toMatch(/^.\[1mHub.\[22m\n[^]*\n.\[1mshelf.\[22m\n/);
  expect(await shownAt(80, {}, "tools", "shelf__put")).toMatch(
    /^.\[1mshelf__put.\[22m \(from shelf\)\n[^]*\n.\[1mExample.\[22m\n/,
  );
});

test.each(["hub", "no hub"])(
  "Ctrl-C in a server's form cancels the call at the server, the first time (%s)",
  async (way) => {
    await using place = await placeWith({ shelf: shelf("one") });
    await using hub = way === "hub" ? await startHub(place, "--port", "0") : undefined;
    const terminal = openIdleTerminal();
    const stopping = new AbortController();
    const world = { ...terminal.world, stopSignal: () => stopping.signal };
    const calling = runHere(place, ["call", "shelf__ask"], world);
    await until(() => terminal.shown().includes("Answer? [Y/n] "));
    terminal.type("y");
    await until(() => terminal.shown().includes("  1) red"));
    stopping.abort();
    expect(await calling).toMatchObject({ exit: 130, out: "" });
    const { out } = await runHere(place, ["audit", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ tool: "shelf__ask", outcome: "cancelled" });
    if (hub === undefined) return;
    await until(async () => (await runHere(place, ["logs", "shelf"])).out.includes("the question was cancelled"));
    expect((await runHere(place, ["call", "shelf__pid"])).exit).toBe(0);
  },
);

test("status begins with the hub: its address, how long it runs, who called, and the calls", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  const alone = await runHere(place, ["status"]);
  expect(alone.out).toMatch(/^Hub\n {2}Status {10}Not running \(run `clawport up`\)\n\nshelf\n/);
  await using hub = await startHub(place, "--port", "0");
  await until(async () => (await runHere(place, ["call", "shelf__pid"])).exit === 0);
  await runHere(place, ["call", "shelf__fail"]);
  expect(await listTools(hub.ready.url, "wrong")).toBe(401);
  const { out } = await clawport(place, "status");
  expect(out).toMatch(
    /^Hub\n {2}Address {9}http:\/\/127\.0\.0\.1:\d+\/mcp\n {2}Running {9}for \d+ s \(PID \d+, version /,
  );
  expect(out).toMatch(/\n {2}Callers {9}cli \(clawport call\), \d+ calls, \d+ s ago\n/);
  expect(out).toMatch(/\n {2}Calls {11}\d+ \(\d+ failed\)\n/);
  expect(out).toMatch(/\n {2}Refused tokens {2}1 wrong, 0 missing.*\n\nshelf\n {2}Address/);
  expect(JSON.parse((await runHere(place, ["status", "--json"])).out)).toMatchObject({
    hub: { pid: hub.ready.pid, callers: [{ door: "cli" }] },
    servers: [{ name: "shelf" }],
  });
});

test("logs without a name is the hub's own log, which says what an edit changed", async () => {
  await using place = await placeWith({ shelf: shelf("one"), goes: shelf("goes") });
  const alone = await runHere(place, ["logs"]);
  expect(alone).toMatchObject({ exit: 69, err: expect.stringContaining("No hub is running, so there is no log.") });
  await using _ = await startHub(place, "--port", "0");
  await place.configure({ shelf: { ...shelf("one"), requestTimeoutMs: 1000 }, comes: shelf("comes") });
  const edit =
    "the edited configuration is active: added servers.shelf.requestTimeoutMs, removed servers.goes, added servers.comes";
  await until(async () => (await runHere(place, ["logs"])).out.includes("is active"));
  expect((await clawport(place, "logs")).out).toContain(edit);
  const { lines } = JSON.parse((await runHere(place, ["logs", "--json"])).out) as { lines: string[] };
  expect(lines.filter((line) => line.includes(edit))).toHaveLength(1);
});

test("apps lists the apps that are connected to the hub", async () => {
  await using place = await placeWith({});
  expect(await runHere(place, ["apps"])).toMatchObject({ exit: 69, out: "" });
  await writeFile(join(place.home, "clawport.json5"), "{ apps: { serve: true, port: 0 } }");
  await using hub = await startHub(place, "--port", "0");
  const { apps: proxyUrl } = hub.ready as unknown as { apps: string };
  expect((await runHere(place, ["apps"])).out).toBe(`No app is connected. Apps connect to ${proxyUrl}.\n`);
  const app = await openApp({ proxyUrl, deviceName: "Sketch", tools: [{ name: "draw", run: () => "ok" }] });
  await until(() => app.isConnected);
  expect((await clawport(place, "apps")).out).toMatch(/^APP +STATUS.*\nSketch +connected {2}0 .* draw\n$/);
  expect(JSON.parse((await runHere(place, ["apps", "--json"])).out)).toMatchObject({
    address: proxyUrl,
    apps: [{ name: "Sketch", bridge: "connected", tools: ["draw"] }],
  });
  await app.close();
});

test("a token may be limited to several sources: it sees all of them, and nothing else", async () => {
  await using place = await placeWith({ one: shelf("one"), two: shelf("two"), other: shelf("other") });
  await using hub = await startHub(place, "--port", "0");
  const added = await clawport(place, "token", "add", "phone", "--view", "two", "--view", "one", "--json");
  const { token, view } = JSON.parse(added.out) as { token: string; view: string[] };
  expect(view).toEqual(["one", "two"]);
  expect((await runHere(place, ["token", "list"])).out).toMatch(/^phone +one, two /m);
  const { url } = hub.ready;
  const sourcesAt = async (path: string): Promise<number> => listTools(`${url}${path}`, token);
  expect([await sourcesAt("/one"), await sourcesAt("/two"), await sourcesAt("/other")]).toEqual([200, 200, 403]);
  // Beside theirs, the hub has two that read large results.
  await until(async () => (await namesAt(url, token)).length === 14 + 2);
  expect((await namesAt(url, token)).filter((name) => /^(?:one|two)__/.test(name))).toHaveLength(14);
});

async function namesAt(url: string, token: string): Promise<readonly string[]> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${token}`,
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const text = await (await fetch(url, { method: "POST", headers, body })).text();
  // On a stream, if the hub tells of servers that are still connecting.
  const { result } = JSON.parse(text.slice(text.indexOf("{"))) as { result?: { tools: { name: string }[] } };
  if (result === undefined) throw new Error(text);
  return result.tools.map(({ name }) => name);
}

test("completion knows the servers and the tools, of the hub and of what was seen before, and starts no server", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  const names = async (kind: string) => (await clawport(place, "completion", "--names", kind)).out.trim().split("\n");
  expect(await names("servers")).toEqual(["shelf"]);
  expect(await names("tools")).toEqual([""]);
  await using _ = await startHub(place, "--port", "0");
  await until(async () => (await runHere(place, ["call", "shelf__pid"])).exit === 0);
  expect(await names("tools")).toContain("shelf__picture");
  expect(await names("servers-and-tools")).toEqual(expect.arrayContaining(["shelf", "shelf__put"]));
  expect((await clawport(place, "completion")).err).toContain("missing argument <shell>");
});

test("under strict, a read-only tool is refused with the real reason: its server is not trusted", async () => {
  await using place = await placeWith({});
  const configure = (trusted: boolean) =>
    writeFile(
      join(place.home, "clawport.json5"),
      JSON.stringify({ servers: { shelf: { ...shelf("one"), trusted } }, policy: { preset: "strict" } }),
    );
  await configure(false);
  const { exit, err } = await clawport(place, "call", "shelf__pid");
  expect(exit).toBe(77);
  expect(err).toContain("a read-only hint counts only from a trusted source, and shelf has no `trusted: true`");
  await configure(true);
  expect(await runHere(place, ["call", "shelf__pid"])).toMatchObject({ exit: 0 });
});

test("doctor names only files that exist", async () => {
  await using place = await placeWith({ remote: { url: "http://127.0.0.1:1/mcp" } });
  const { out } = await clawport(place, "doctor", "--json");
  const { findings } = JSON.parse(out) as { findings: { what: string }[] };
  const named = findings
    .flatMap(({ what }) => what.match(/\/[^\s,;:()"]+/g) ?? [])
    .filter((path) => path.includes(place.home));
  expect(findings.some(({ what }) => what.startsWith("sign-ins are encrypted with a key file, not with"))).toBe(true);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

test("the entry for OpenClaw leaves out order_openclaw, which everyone else is offered", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  await using hub = await startHub(place, "--port", "0");
  const { url, tokenPath } = hub.ready;
  const { out } = await clawport(place, "clients", "openclaw");
  expect(out).toContain(`"${url}?without=agent"`);
  const token = (await readFile(tokenPath, "utf8")).trim();
  await until(async () => (await namesAt(url, token)).includes("shelf__put"));
  expect(await namesAt(url, token)).toContain("order_openclaw");
  const lean = await namesAt(`${url}?without=agent`, token);
  expect(lean).toContain("shelf__put");
  expect(lean).not.toContain("order_openclaw");
});

test("every exit code is in the docs", async () => {
  const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
  const table = (await read("docs/terminal.md")).split("## Exit codes")[1] ?? "";
  const documented = new Set(table.match(/^\| [\d, ]+/gm)?.flatMap((cell) => cell.match(/\d+/g) ?? []));
  const faults = [...(await read("src/core/fault.ts")).matchAll(/exit: (\d+)/g)].map(([, code]) => code);
  expect(new Set(faults).size).toBeGreaterThan(8);
  expect([...new Set(["0", ...faults])].filter((code) => !documented.has(code ?? ""))).toEqual([]);
});
