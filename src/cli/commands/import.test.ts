import { cp, lstat, mkdir, mkdtempDisposable, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { memoryWorld } from "../../../tests/support/cli/memory-world.ts";
import { clawport, isWindows, makePlace } from "../../../tests/support/cli/run-clawport.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import { runCli } from "../run-cli.ts";

const samples = fileURLToPath(new URL("../../../tests/import/", import.meta.url));

/** A copy of the sample machine: a home and a project with the files of each program. */
async function makeMachine() {
  const folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  await cp(samples, folder.path, { recursive: true });
  const file = join(folder.path, "state", "clawport.json5");
  const run = async (...argv: string[]) => {
    const env = { CLAWPORT_HOME: join(folder.path, "state") };
    const world = memoryWorld({ homedir: join(folder.path, "home"), cwd: join(folder.path, "project"), env });
    const exit = await runCli(["import", ...argv], world);
    return { exit, out: world.out(), err: world.err() };
  };
  return { file, run, path: folder.path, [Symbol.asyncDispose]: () => folder.remove() };
}

interface Report {
  readonly written: boolean;
  readonly sources: readonly { readonly taken: readonly { readonly name: string }[] }[];
  readonly unset: readonly string[];
  readonly untrusted: readonly { readonly path: string }[];
}

test.skipIf(isWindows)("--move takes the servers out of the programs' files, after asking, with a copy", async () => {
  await using place = await makePlace();
  const cursor = join(place.folder, ".cursor", "mcp.json");
  const codex = join(place.folder, ".codex", "config.toml");
  const files = { command: "npx", args: ["files"] };
  const own = { command: "clawport", args: ["serve", "--stdio", "--as", "cursor"] };
  await mkdir(join(place.folder, ".cursor"));
  await mkdir(join(place.folder, ".codex"));
  await writeFile(cursor, JSON.stringify({ mcpServers: { files, "a b": { command: "other" }, clawport: own }, x: 1 }));
  await writeFile(codex, 'model = "m"\n\n[mcp_servers.files]\ncommand = "npx"\nargs = ["files"]\n\n[other]\ny = 2\n');

  const unasked = await clawport(place, "import", "--move");
  expect([unasked.exit, unasked.err]).toEqual([2, expect.stringContaining("--yes or --dry-run")]);
  await expect(stat(join(place.home, "clawport.json5"))).rejects.toThrow("ENOENT");
  const before = await readFile(cursor, "utf8");
  expect((await clawport(place, "import", "--move", "--dry-run")).out).toContain("Nothing was written.");
  expect(await readFile(cursor, "utf8")).toBe(before);

  const { exit, out } = await clawport(place, "import", "--move", "--yes");
  expect(exit).toBe(0);
  const { config } = await loadConfig({ path: join(place.home, "clawport.json5"), env: {} });
  expect(Object.keys(config.servers)).toEqual(["files", "a-b"]);
  expect(JSON.parse(await readFile(cursor, "utf8"))).toEqual({ mcpServers: { clawport: own }, x: 1 });
  expect(await readFile(codex, "utf8")).toBe('model = "m"\n\n\n[other]\ny = 2\n');
  const [, backup = ""] = /Removed from \S+mcp\.json\. The file as it was: (\S+)/.exec(out) ?? [];
  expect(await readFile(backup, "utf8")).toBe(before);
  expect(out).toContain("Run `clawport install codex` next.");
  expect(out).not.toContain("install cursor");
  expect((await clawport(place, "import", "--move", "--yes")).out).not.toContain("Removed from");
});

test.skipIf(isWindows)(
  "the user's servers are imported into a configuration that loads once its variables are set",
  async () => {
    await using machine = await makeMachine();
    const { exit, out } = await machine.run("--json");
    expect(exit).toBe(0);
    const report = JSON.parse(out) as Report;
    const names = report.sources.flatMap(({ taken }) => taken.map(({ name }) => name));
    const env = Object.fromEntries(report.unset.map((name) => [name, "https://set.example/"]));
    const { config } = await loadConfig({ path: machine.file, env });
    expect(Object.keys(config.servers)).toEqual(names);
    expect(names).toContain("github-cursor");
    expect(config.servers["price"]?.args).toContain("$USD");
    expect(out).not.toContain("ghp_0123456789");
    expect((await stat(machine.file)).mode & 0o777).toBe(0o600);
  },
);

test("servers that come with the folder are imported only with --trust, or by name", async () => {
  await using machine = await makeMachine();
  const first = await machine.run("--dry-run");
  expect(first.out).toContain("comes with this folder");
  expect(first.out).not.toContain("playwright");
  expect((await machine.run("--dry-run", "--trust")).out).toContain("playwright");
  expect((await machine.run("--dry-run", "--from", ".vscode/mcp.json")).out).toContain("playwright");
});

test("--dry-run writes nothing, not even the state folder", async () => {
  await using machine = await makeMachine();
  expect((await machine.run("--dry-run")).out).toContain("Nothing was written.");
  await expect(stat(join(machine.path, "state"))).rejects.toThrow(/ENOENT/);
});

test.skipIf(isWindows)("a configuration keeps its comments, and a second import adds nothing", async () => {
  await using machine = await makeMachine();
  const config = join(machine.path, "mine.json5");
  const text = '// mine\n{\n  servers: {\n    // the best\n    github: { command: "gh-mcp" },\n  },\n}\n';
  await writeFile(config, text, { mode: 0o640 });
  await machine.run("--config", config, "--from", "cursor");
  const longer = await readFile(config, "utf8");
  expect(longer.startsWith('// mine\n{\n  servers: {\n    // the best\n    github: { command: "gh-mcp" },\n')).toBe(
    true,
  );
  expect(longer).toContain('    "github-cursor": {\n      command: "npx",');
  expect((await stat(config)).mode & 0o777).toBe(0o640);
  expect((await machine.run("--config", config, "--from", "cursor")).out).toContain("Nothing to add.");
  expect(await readFile(config, "utf8")).toBe(longer);
});

test("a key that follows its flag is imported but not shown", async () => {
  await using machine = await makeMachine();
  const from = join(machine.path, "theirs.json");
  const server = { command: "npx", args: ["srv", "--api-key", "hunter2hunter2"] };
  await writeFile(from, JSON.stringify({ mcpServers: { server } }));
  for (const json of [[], ["--json"]]) {
    const { out } = await machine.run("--dry-run", "--from", from, ...json);
    expect(out).toContain("npx srv --api-key [redacted]");
    expect(out).not.toContain("hunter2");
  }
  await machine.run("--from", from);
  expect(await readFile(machine.file, "utf8")).toContain("hunter2hunter2");
});

test("a key from the environment is shown as its variable's name", async () => {
  await using machine = await makeMachine();
  const from = join(machine.path, "theirs.json");
  const server = { command: "npx", args: ["srv", "--api-key", "${API_KEY}", "--header", "X-Api-Key:${KEY}"] };
  await writeFile(from, JSON.stringify({ mcpServers: { server } }));
  const { out } = await machine.run("--dry-run", "--from", from);
  expect(out).toContain("npx srv --api-key ${API_KEY} --header X-Api-Key:${KEY}");
});

test.skipIf(isWindows)("a configuration that is a symbolic link stays one", async () => {
  await using machine = await makeMachine();
  const [real, link] = [join(machine.path, "real.json5"), join(machine.path, "link.json5")];
  await writeFile(real, "{}");
  await symlink(real, link);
  await machine.run("--config", link, "--from", "gemini");
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readFile(real, "utf8")).toContain("pythonTools");
});

test("a broken configuration is left unchanged, and a broken file of another program does not stop the others", async () => {
  await using machine = await makeMachine();
  const config = join(machine.path, "broken.json5");
  await writeFile(config, "{ servers: ");
  const broken = await machine.run("--config", config);
  expect([broken.exit, broken.err]).toEqual([78, expect.stringContaining("clawport config check")]);
  expect(await readFile(config, "utf8")).toBe("{ servers: ");
  await writeFile(join(machine.path, "home", ".codex", "config.toml"), "[mcp_servers");
  const { out } = await machine.run("--dry-run");
  expect(out).toContain("Not valid TOML");
  expect(out).toContain("pythonTools");
});

test.each([
  [["--from", "cursr"], 2, 'did you mean "cursor"?'],
  [["--from", "no/such.json"], 2, "neither a known program nor a file"],
  [["--from", "claude-desktop"], 3, "no configuration of Claude Desktop was found"],
])("%j is refused with the reason", async (argv, exit, message) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const world = memoryWorld({ homedir: folder.path, cwd: folder.path });
  expect(await runCli(["import", "--dry-run", ...argv], world)).toBe(exit);
  expect(world.err()).toContain(message);
});

test("the real command imports the servers of a home folder", async () => {
  await using place = await makePlace();
  await cp(join(samples, "home"), place.folder, { recursive: true });
  const { exit, out } = await clawport(place, "import", "--from", "mcporter", "--from", "codex");
  expect(exit).toBe(0);
  expect(out).toMatch(/\+ context7 +npx -y @upstash\/context7-mcp/);
  expect(out).toContain(`7 servers added to ${join(place.home, "clawport.json5")}`);
  expect(out).toContain(
    "After `clawport install <client>`, remove them with `clawport import --move`, or each tool is listed twice.",
  );
  expect(out).toContain(
    "Set these environment variables before the next start: LINEAR_API_KEY, VERCEL_TOKEN, APP_SECRET",
  );
  expect(await readFile(join(place.home, "clawport.json5"), "utf8")).toContain('apiKey: "${VERCEL_TOKEN}"');
}, 30_000);
