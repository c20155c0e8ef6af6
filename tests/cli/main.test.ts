import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { clawport, isWindows, mainFile, makePlace } from "../support/cli/run-clawport.ts";
import { runProgram } from "../support/cli/run-shell.ts";
import { until } from "../support/until.ts";

vi.setConfig({ testTimeout: 60_000 });

const manifest = new URL("../../package.json", import.meta.url);

test("--version prints the package's version, alone and after a command", async () => {
  await using place = await makePlace();
  const { version } = JSON.parse(await readFile(manifest, "utf8"));
  expect(await clawport(place, "--version")).toEqual({ exit: 0, out: `${version}\n`, err: "" });
  expect((await clawport(place, "token", "add", "--version", "--json")).out).toBe(`{"version":"${version}"}\n`);
});

test("a typo is answered with the nearest command", async () => {
  await using place = await makePlace();
  expect(await clawport(place, "tokn")).toEqual({
    exit: 2,
    out: "",
    err: 'clawport: unknown command "tokn"; did you mean "token"?\n',
  });
});

test("doctor lists every mistake of a broken configuration and fails; with a valid one it passes", async () => {
  await using place = await makePlace();
  const file = join(place.folder, "clawport.json5");
  await writeFile(file, "{\n  hub: { prt: 1 },\n  log: { level: 'loud' },\n  catlog: {},\n}");
  const broken = await clawport(place, "doctor");
  expect(broken.exit).toBe(1);
  for (const line of [2, 3, 4]) expect(broken.out).toContain(`clawport.json5:${line}:`);
  await writeFile(file, "{ hub: { port: 0 }, log: { level: 'warn' } }");
  expect((await clawport(place, "doctor")).exit).toBe(0);
});

test.skipIf(isWindows)("a reader that stops early causes no error (needs bash)", async () => {
  await using place = await makePlace();
  const script = `"$0" "$1" config schema | head -c 10 >/dev/null; echo "\${PIPESTATUS[0]}"`;
  const options = { env: place.env, cwd: place.folder };
  expect(await runProgram("bash", ["-c", script, process.execPath, mainFile], options)).toEqual({
    exit: 0,
    out: "0\n",
    err: "",
  });
});

test.skipIf(isWindows)("bash completes the real commands with the printed script (needs bash)", async () => {
  await using place = await makePlace();
  const script = `source <("$0" "$1" completion bash)
    COMP_WORDS=(clawport token re); COMP_CWORD=2; _clawport; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { out } = await runProgram("bash", ["--norc", "-c", script, process.execPath, mainFile], { env: place.env });
  expect(out.split("\n").filter(Boolean)).toEqual(["reset", "remove"]);
});

test("up says what matters in twelve lines: the address, the token's file, the sources, what to do next", async () => {
  await using place = await makePlace();
  const child = spawn(process.execPath, [mainFile, "up", "--port", "0"], { env: place.env, cwd: place.folder });
  try {
    let out = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    await until(() => out.includes("Ctrl-C stops the hub."), "a hub", 50_000);
    const tokenPath = join(place.home, "mcp-token.txt");
    expect(out.trimEnd().split("\n").length).toBeLessThanOrEqual(12);
    for (const part of ["is ready.", "/mcp\n", tokenPath, "agent (1 tool)", "clawport install claude-code"])
      expect(out).toContain(part);
    expect(out).not.toContain((await readFile(tokenPath, "utf8")).trim());
    expect(out).not.toContain("\u001B");
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});
