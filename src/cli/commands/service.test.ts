import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { memoryWorld } from "../../../tests/support/cli/memory-world.ts";
import { isWindows } from "../../../tests/support/cli/run-clawport.ts";
import { runCli } from "../run-cli.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "service-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Installs a systemctl that records its arguments and runs the script. */
async function putSystemctl(script: string): Promise<void> {
  await mkdir(join(folder, "bin"), { recursive: true });
  const path = join(folder, "bin", "systemctl");
  await writeFile(path, `#!/bin/sh\necho "$@" >> ${folder}/asked\n${script}\n`);
  await chmod(path, 0o755);
}

async function run(platform: string, ...argv: string[]) {
  const env = { PATH: join(folder, "bin"), CLAWPORT_HOME: join(folder, "state") };
  const world = memoryWorld({ cwd: folder, homedir: folder, platform, env });
  const exit = await runCli(["service", ...argv], world);
  return { exit, out: world.out(), err: world.err() };
}

const unit = (): string => join(folder, ".config", "systemd", "user", "clawport.service");

test.skipIf(isWindows)(
  "install writes the unit with the active configuration and starts it; remove removes it",
  async () => {
    await putSystemctl("exit 0");
    await writeFile(join(folder, "clawport.json5"), "{}");
    const { exit, out } = await run("linux", "install");
    expect(exit).toBe(0);
    expect(out).toContain(join(folder, "state", "service.env"));
    expect(await readFile(unit(), "utf8")).toContain(`\nWorkingDirectory=${folder}\n`);
    expect(await readFile(join(folder, "asked"), "utf8")).toContain("--user enable --now clawport.service");
    expect((await run("linux", "remove")).exit).toBe(0);
    expect(existsSync(unit())).toBe(false);
  },
);

test.skipIf(isWindows)(
  "with --desktop it starts with the session, with the tray and an entry in the desktop's menu",
  async () => {
    await putSystemctl("exit 0");
    const tray = join(folder, ".config", "systemd", "user", "clawport-tray.service");
    const entries = [".config/autostart/clawport-tray.desktop", ".local/share/applications/clawport.desktop"];
    expect((await run("linux", "install", "--desktop")).exit).toBe(0);
    for (const path of [unit(), tray]) {
      const text = await readFile(path, "utf8");
      expect(text).toContain("\nPartOf=graphical-session.target\nAfter=graphical-session.target\n");
      expect(text).toContain("\nWantedBy=graphical-session.target\n");
    }
    for (const entry of entries) expect(await readFile(join(folder, entry), "utf8")).toMatch(/^Exec="[^\n]*" "tray"$/m);
    expect(await readFile(join(folder, entries[1]!), "utf8")).toMatch(/^Actions=Console;Pause;$/m);
    expect(await readFile(join(folder, "asked"), "utf8")).toContain("--user enable clawport-tray.service");
    expect((await run("linux", "remove")).exit).toBe(0);
    for (const path of [unit(), tray, ...entries.map((entry) => join(folder, entry))])
      expect(existsSync(path)).toBe(false);
  },
);

test.skipIf(isWindows)("a configuration given by --config is passed on to the service", async () => {
  await putSystemctl("exit 0");
  const path = join(folder, "own.json5");
  await writeFile(path, "{ servers: { x: { command: 'sh' } } }");
  expect((await run("linux", "install", "--config", path)).exit).toBe(0);
  expect(await readFile(unit(), "utf8")).toContain(`"--config" "${path}"`);
});

test.skipIf(isWindows)("an untrusted configuration is not installed as a service", async () => {
  await putSystemctl("exit 0");
  await writeFile(join(folder, "clawport.json5"), "{ servers: { x: { command: 'sh' } } }");
  expect((await run("linux", "install")).exit).toBe(77);
  expect(existsSync(unit())).toBe(false);
  expect((await run("linux", "install", "--trust")).exit).toBe(0);
});

test.skipIf(isWindows)("status tells a stopped service from one that is not installed", async () => {
  await putSystemctl('case "$2" in is-active) echo failed; exit 3;; esac');
  const stopped = await run("linux", "status");
  expect(stopped.exit).toBe(3);
  expect(stopped.out).toContain("is installed but not running (failed)");
  await putSystemctl('case "$2" in is-*) exit 4;; esac');
  expect((await run("linux", "status")).out).toContain("clawport service install");
});

test.each([
  ["linux", "systemctl was not found"],
  ["darwin", "not supported on macOS (launchd)"],
  ["win32", "not supported on Windows"],
])("without systemd on %s it says what to do instead", async (platform, message) => {
  const { exit, err } = await run(platform, "install");
  expect(exit).toBe(69);
  expect(err).toContain(message);
  expect(err).toContain("clawport up");
  expect(existsSync(unit())).toBe(false);
});

test.skipIf(isWindows)("if systemd does not manage user services, nothing is written", async () => {
  await putSystemctl("exit 1");
  expect((await run("linux", "install")).exit).toBe(69);
  expect(existsSync(unit())).toBe(false);
});
