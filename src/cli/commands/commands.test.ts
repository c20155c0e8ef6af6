import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { memoryWorld } from "../../../tests/support/cli/memory-world.ts";
import { isWindows } from "../../../tests/support/cli/run-clawport.ts";
import { openTerminal } from "../../../tests/support/cli/terminal.ts";
import { testSource, testTool } from "../../../tests/support/test-source.ts";
import { createCatalog } from "../../catalog/catalog.ts";
import { openApprovals } from "../../catalog/guard/approvals.ts";
import { openPins } from "../../catalog/guard/pins.ts";
import { openHome } from "../../core/files/home.ts";
import { hubFiles } from "../../hub/state/hub-files.ts";
import { runCli } from "../run-cli.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "commands-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function run(...argv: string[]) {
  const state = join(folder, "state");
  const world = memoryWorld({
    cwd: folder,
    homedir: folder,
    env: { CLAWPORT_HOME: state, OPENCLAW_GATEWAY_PORT: "1" },
  });
  const exit = await runCli(argv, world);
  return { exit, out: world.out(), err: world.err(), json: (): unknown => JSON.parse(world.out()) };
}

/** Runs a command at a terminal whose user gives these answers. */
async function atTerminal(argv: readonly string[], ...answers: string[]) {
  const terminal = openTerminal(...answers);
  const env = { CLAWPORT_HOME: join(folder, "state"), OPENCLAW_GATEWAY_PORT: "1" };
  const world = memoryWorld({ cwd: folder, homedir: folder, env, ...terminal.world });
  return { exit: await runCli(argv, world), out: world.out(), shown: terminal.shown() };
}

test.skipIf(isWindows)("token: path, show and reset use the same owner-only file", async () => {
  const path = (await run("token", "path")).out.trim();
  const token = (await run("token", "show")).out.trim();
  expect(token).toMatch(/^[\w-]{43}$/);
  expect((await readFile(path, "utf8")).trim()).toBe(token);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await run("token", "show", "--json")).json()).toEqual({ token });
  const { out } = await run("token", "reset");
  expect(out).not.toContain(token);
  expect((await run("token", "show")).out.trim()).not.toBe(token);
});

test("token: a named token is printed once, listed without its value, and removed", async () => {
  await writeFile(join(folder, "clawport.json5"), "{ servers: { notes: { url: 'http://127.0.0.1:1/mcp' } } }");
  const token = (await run("token", "add", "phone", "--view", "notes")).out.trim();
  expect(token).toMatch(/^[\w-]{43}$/);
  const list = await run("token", "list");
  expect(list.out).toMatch(/phone +notes/);
  expect(list.out).not.toContain(token);
  expect((await run("token", "list", "--json")).json()).toMatchObject({
    tokens: [{ name: "main" }, { name: "phone", view: "notes" }],
  });
  expect((await run("token", "remove", "phone")).exit).toBe(0);
  expect((await run("token", "remove", "phone")).exit).toBe(3);
});

test("token: a token for the metrics is listed as such, and can't have a view", async () => {
  await writeFile(join(folder, "clawport.json5"), "{ servers: { notes: { url: 'http://127.0.0.1:1/mcp' } } }");
  expect((await run("token", "add", "prometheus", "--metrics")).out.trim()).toMatch(/^[\w-]{43}$/);
  expect((await run("token", "list")).out).toMatch(/prometheus +metrics/);
  expect((await run("token", "list", "--json")).json()).toMatchObject({
    tokens: [{ name: "main" }, { name: "prometheus", view: null, metrics: true }],
  });
  expect(await run("token", "add", "both", "--metrics", "--view", "notes")).toMatchObject({ exit: 2 });
});

test("token list shows times in the local time zone", async () => {
  const { TZ } = process.env;
  try {
    process.env.TZ = "Etc/GMT-14";
    await run("token", "add", "phone");
    const { tokens } = (await run("token", "list", "--json")).json() as { tokens: { created: string }[] };
    const local = new Date(Date.parse(tokens[1]!.created) + 14 * 3_600_000).toISOString();
    expect((await run("token", "list")).out).toContain(local.slice(0, 19).replace("T", " "));
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
});

test("token: the main token can't be removed, only reset", async () => {
  const token = (await run("token", "show")).out;
  const refused = await run("token", "remove", "main");
  expect(refused).toMatchObject({ exit: 2, out: "" });
  expect(refused.err).toContain("clawport token reset");
  expect((await run("token", "show")).out).toBe(token);
});

test("token: an unknown source is refused, with the known ones", async () => {
  await writeFile(join(folder, "clawport.json5"), "{ servers: { notes: { url: 'http://127.0.0.1:1/mcp' } } }");
  const refused = await run("token", "add", "phone", "--view", "note");
  expect(refused).toMatchObject({ exit: 2, out: "" });
  expect(refused.err).toContain('There is no source "note". Did you mean "notes"? The sources are: agent, notes.');
  expect((await run("token", "list", "--json")).json()).toMatchObject({ tokens: [{ name: "main" }] });
  expect((await run("token", "add", "phone", "--view", "agent")).exit).toBe(0);
});

test("config: without a file the searched paths are shown; a bad file is refused with all its mistakes", async () => {
  expect((await run("config", "path")).out).toContain(join(folder, "clawport.json5"));
  expect((await run("config", "check")).exit).toBe(0);
  await writeFile(join(folder, "clawport.json5"), "{ servers: { git: { url: 'http://127.0.0.1:1/mcp' } } }");
  expect((await run("config", "path")).out.trim()).toBe(join(folder, "clawport.json5"));
  expect((await run("config", "check", "--json")).json()).toMatchObject({ ok: true, servers: ["git"] });
  await writeFile(join(folder, "clawport.json5"), "{\n  hub: { prt: 1 },\n  log: { level: 'loud' },\n}");
  const { exit, err } = await run("config", "check");
  expect(exit).toBe(78);
  expect(err).toContain("clawport.json5:2:10 hub.prt");
  expect(err).toContain('did you mean "port"?');
  expect(err).toContain("clawport.json5:3:10 log.level");
  const { error } = (await run("config", "check", "--json")).json() as {
    error: { code: string; detail: { problems: unknown[] } };
  };
  expect(error.code).toBe("config");
  expect(error.detail.problems).toHaveLength(2);
});

test("config check: reports what would otherwise fail only at the start or with the first order", async () => {
  const agent =
    "{ model: { name: 'openai/m', maxCost: 1 }, transcription: { command: ['w', '{file}'], url: 'http://127.0.0.1/v1' } }";
  await writeFile(join(folder, "clawport.json5"), `{ apps: { show: true }, agent: ${agent} }`);
  const { exit, err } = await run("config", "check");
  expect(exit).toBe(78);
  expect(err).toContain("apps.show needs `serve`");
  expect(err).toContain("agent.model.maxCost needs `prices`");
  expect(err).toContain("agent.transcription has a `url` and a `command`");
});

test("config check and doctor warn about a rule that matches nothing", async () => {
  const servers = "{ every: { url: 'http://127.0.0.1:1/mcp', enabled: false } }";
  const rules = "[{ tool: 'evry__*', verdict: 'deny' }]";
  await writeFile(join(folder, "clawport.json5"), `{ servers: ${servers}, policy: { rules: ${rules} } }`);
  const warning = /clawport\.json5:1:\d+ policy\.rules\[0\]\.tool matches no tool .*; did you mean "every__\*"\?$/m;
  const checked = await run("config", "check");
  expect([checked.exit, checked.err]).toEqual([0, ""]);
  expect(checked.out).toMatch(warning);
  expect((await run("config", "check", "--json")).json()).toMatchObject({
    ok: true,
    warnings: [{ path: "policy.rules[0].tool", suggestion: "every__*" }],
  });
  expect((await run("doctor")).out).toMatch(warning);
});

test("config schema prints a JSON Schema with the sections of the file", async () => {
  expect((await run("config", "schema")).json()).toMatchObject({ properties: { hub: {}, servers: {}, policy: {} } });
});

test("doctor: an empty set-up passes", async () => {
  const { exit, out } = await run("doctor");
  expect({ exit, fails: out.includes("✗") }).toEqual({ exit: 0, fails: false });
});

test.skipIf(isWindows)("doctor: reports every problem at once, each with the command that fixes it", async () => {
  await run("token", "show");
  await chmod(join(folder, "state"), 0o755);
  await chmod(join(folder, "state", "mcp-token.txt"), 0o644);
  await writeFile(join(folder, "clawport.json5"), "{\n  hub: { prt: 1 },\n  log: { level: 'loud' },\n}");
  const { exit, json } = await run("doctor", "--json");
  expect(exit).toBe(1);
  const { ok, findings } = json() as {
    ok: boolean;
    findings: { check: string; level: string; what: string; fix?: string }[];
  };
  const fails = findings.filter(({ level }) => level === "fail");
  expect(ok).toBe(false);
  expect(fails.map(({ check }) => check)).toEqual(["home", "configuration", "configuration", "token"]);
  expect(fails.every(({ fix }) => fix !== undefined)).toBe(true);
  expect(fails[1]?.what).toContain("clawport.json5:2:10");
  expect((await stat(join(folder, "state"))).mode & 0o777, "the doctor changes nothing").toBe(0o755);
});

test("a server that waits for a variable is off, and no mistake: config check and the doctor say what to export", async () => {
  await writeFile(join(folder, "clawport.json5"), "{ servers: { a: { url: 'https://a.example', apiKey: '$A_KEY' } } }");
  const checked = await run("config", "check");
  expect([checked.exit, checked.err]).toEqual([0, ""]);
  expect(checked.out).toMatch(
    / is valid: servers a\n {2}clawport\.json5:1:45 servers\.a\.apiKey needs the environment variable A_KEY, .*off until it is/,
  );
  expect((await run("config", "check", "--json")).json()).toMatchObject({ ok: true, waiting: [{ variable: "A_KEY" }] });
  const { ok, findings } = (await run("doctor", "--json")).json() as {
    ok: boolean;
    findings: { check: string; level: string; what: string; fix?: string }[];
  };
  expect(ok).toBe(true);
  expect(findings.find(({ check, level }) => check === "configuration" && level === "warn")?.fix).toBe(
    "export A_KEY=…",
  );
  expect(findings.find(({ check }) => check === "servers")?.what).toBe("server a is disabled");
});

test("doctor: counts the warnings", async () => {
  await writeFile(join(folder, "c.json5"), "{ hub: { port: 1 }, servers: { b: { url: 'http://127.0.0.1:1/mcp' } } }");
  const { exit, out } = await run("doctor", "--config", "c.json5");
  expect({ exit, verdict: out.trim().split("\n").at(-1) }).toEqual({ exit: 0, verdict: "No problems, but 1 warning." });
});

test("doctor: a missing command is a problem, a server that does not answer a warning", async () => {
  const servers =
    "{ a: { command: 'no-such-program' }, b: { url: 'http://127.0.0.1:1/mcp' }, c: { command: 'sh', enabled: false } }";
  await writeFile(join(folder, "c.json5"), `{ servers: ${servers} }`);
  const { exit, json } = await run("doctor", "--json", "--config", "c.json5");
  const { findings } = json() as { findings: { check: string; level: string; what: string }[] };
  const aboutServers = findings.filter(({ check, what }) => check === "servers" && what.startsWith("server "));
  expect(aboutServers.map(({ level }) => level)).toEqual(["fail", "warn", "info"]);
  expect(exit).toBe(1);
});

test("approvals lists what waits, approve allows it once or from now on, and forget forgets", async () => {
  const home = await openHome(join(folder, "state"));
  const approvals = openApprovals({ file: hubFiles.approvals(home) });
  const call = {
    name: "git__push",
    source: "git",
    tool: "push",
    caller: { door: "mcp-http", token: "phone" },
  } as const;
  const more = {
    arguments: '{"branch":"a"}',
    reason: "policy asks",
    lasting: true,
    isWhole: true,
    question: "May it?",
  };
  await approvals.addWaiting({ ...call, ...more, hash: "1" });
  await approvals.addWaiting({ ...call, ...more, hash: "2", caller: { door: "cli" } });

  expect((await run("approvals")).out).toMatch(/1 +git__push +phone +refused at .* +\{"branch":"a"\}/);
  expect((await atTerminal(["approve"])).shown).toContain(
    "2 calls can be approved. Approve one by its id:\n  1  phone",
  );
  const ambiguous = await run("approve", "git__push", "--deny");
  expect([ambiguous.exit, ambiguous.err]).toEqual([2, expect.stringContaining('  2  cli  {"branch":"a"}')]);
  expect((await atTerminal(["approve", "git__push", "--caller", "tablet"])).exit).toBe(3);
  const declined = await atTerminal(["approve", "1"], "n");
  expect([declined.exit, declined.shown]).toEqual([130, expect.stringContaining("Allow this call once? [y/N]")]);
  expect((await approvals.list()).waiting).toHaveLength(2);
  const once = await atTerminal(["approve", "1"], "yes");
  expect(once.out).toBe("Call 1 is allowed once, when it is made again within an hour.\n");
  expect(await approvals.list()).toMatchObject({ approvals: [], answered: [{ id: "1", choice: "once" }] });

  // Only one is left, so that it need not be named.
  const always = await atTerminal(["approve", "--always"], "y");
  expect(always.out).toBe("git__push is allowed for cli.\n");
  expect((await run("approvals", "--json")).json()).toMatchObject({
    approvals: [{ name: "git__push", caller: { door: "cli" }, choice: "always" }],
    waiting: [],
  });
  expect((await run("approvals", "forget", "git__push")).exit).toBe(0);
  expect((await atTerminal(["approve", "git__push"])).exit).toBe(3);
  expect((await atTerminal(["approve"])).shown).toContain("No call waits for approval.");
});

test("a wider approval says what it allows, and only one kind can be chosen", async () => {
  const home = await openHome(join(folder, "state"));
  const approvals = openApprovals({ file: hubFiles.approvals(home) });
  const call = {
    name: "git__push",
    source: "git",
    tool: "push",
    arguments: "{}",
    reason: "policy asks",
    hash: "1",
    isWhole: true,
    question: "May it?",
  };
  for (const token of ["phone", "tablet"])
    await approvals.addWaiting({ ...call, caller: { door: "mcp-http", token }, lasting: true });
  expect((await atTerminal(["approve", "1", "--tool", "--caller", "phone"])).exit).toBe(2);
  const every = await atTerminal(["approve", "git__push", "--caller", "phone"], "y");
  expect(every.shown).toContain("Allow every tool for phone from now on?");
  const tool = await atTerminal(["approve", "git__push", "--tool"], "y");
  expect(tool.out).toBe("git__push is allowed for every caller.\n");
  const { out } = await run("approvals");
  expect(out).toMatch(/always +every tool +phone/);
  expect(out).toMatch(/always +git__push +every caller/);
  expect((await run("approvals", "forget", "phone")).exit).toBe(0);
});

test("approve shows a changed definition and accepts it", async () => {
  const home = await openHome(join(folder, "state"));
  const pins = openPins({ folder: hubFiles.pins(home) });
  const catalog = createCatalog({ screen: (each) => pins.screen(each) });
  const source = testSource({ id: "git", prefix: "git", tools: [testTool("push", { description: "Pushes." })] });
  catalog.add(source);
  // The rules that definitions are read with are loaded with the first list.
  await expect.poll(() => catalog.find("git__push")).toBeDefined();
  source.offer([testTool("push", { description: "Pushes by force." })]);
  expect(catalog.find("git__push")).toBeDefined();
  await pins.close();
  expect((await run("approvals")).out).toContain("git__push");
  expect(await run("approve", "git__push", "--yes")).toMatchObject({ exit: 77 });
  const accepted = await atTerminal(["approve", "git__push"], "y");
  expect(accepted.shown).toContain("+   Pushes[+ by force+].");
  expect(accepted.out).toContain("the new definition is accepted");
  expect((await run("approvals", "--json")).json()).toMatchObject({ changed: [] });
  catalog.close();
});

test("approving needs a terminal, or --yes and the owner's setting, which a folder can't make", async () => {
  const home = await openHome(join(folder, "state"));
  const approvals = openApprovals({ file: hubFiles.approvals(home) });
  const call = {
    name: "git__push",
    source: "git",
    tool: "push",
    arguments: "{}",
    reason: "policy asks",
    hash: "1",
    isWhole: true,
    question: "May it?",
  };
  await approvals.addWaiting({ ...call, caller: { door: "cli" }, lasting: true });
  const refused = "Approving needs a person who confirms it at a terminal.";
  const setting = "{ policy: { unattendedApprovals: true } }";
  expect(await run("approve", "1")).toMatchObject({ exit: 77, err: expect.stringContaining(refused) as string });
  expect(await run("approve", "1", "--yes")).toMatchObject({
    exit: 77,
    err: expect.stringContaining(refused) as string,
  });
  await writeFile(join(folder, "clawport.json5"), setting);
  expect(await run("approve", "1", "--yes", "--always")).toMatchObject({ exit: 77 });
  await writeFile(home.file("clawport.json5"), setting);
  expect(await run("approve", "1")).toMatchObject({ exit: 77 });
  expect(await run("approve", "1", "--yes")).toMatchObject({
    exit: 0,
    err: expect.stringContaining("Arguments: {}") as string,
  });
});

test("a refusal names the command that was typed", async () => {
  const both = await run("serve", "--stdio", "--http");
  expect([both.exit, both.err]).toEqual([2, expect.stringContaining("Choose one: `clawport serve --stdio`")]);
  const forgotten = await run("approvals", "forget", "nope");
  expect([forgotten.exit, forgotten.err]).toEqual([3, expect.stringContaining('no saved answer for "nope"')]);
});
