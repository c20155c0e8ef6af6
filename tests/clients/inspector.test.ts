import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installPackage } from "../../conformance/install-package.ts";
import { fixtureProgram, startFixture } from "../../conformance/start-fixture.ts";
import type { RunningFixture } from "../../conformance/start-fixture.ts";

const run = promisify(execFile);
let launcher: string;
let home: string;
let fixture: RunningFixture;

beforeAll(async () => {
  const inspector = await installPackage("@modelcontextprotocol/inspector", "2.12.0", "inspector");
  launcher = path.join(inspector, "clients", "launcher", "build", "index.js");
  home = await mkdtemp(path.join(tmpdir(), "clawport-inspector-"));
  fixture = await startFixture();
}, 240_000);

afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

/** What the Inspector's command line prints. */
async function inspect(target: readonly string[], ...options: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [launcher, "--cli", ...target, "--format", "json", ...options], {
    env: { ...process.env, HOME: home },
  });
  return stdout;
}

const ways = [
  { way: "stdio", target: () => [process.execPath, fixtureProgram] },
  { way: "HTTP", target: () => [fixture.url] },
];

describe.each(ways)("the Inspector's command line over $way", { timeout: 60_000 }, ({ target }) => {
  test("lists the tools, and finds nothing wrong with their schemas", async () => {
    expect(await inspect(target(), "--method", "tools/list", "--strict")).toContain("test_simple_text");
  });

  test("calls a tool, in the era of sessions and in the modern one", async () => {
    const call = ["--method", "tools/call", "--tool-name", "greet", "--tool-arg", "name=World"];
    expect(await inspect(target(), ...call, "--protocol-era", "legacy")).toContain("Hello, World!");
    expect(await inspect(target(), ...call, "--protocol-era", "modern")).toContain("Hello, World!");
  });

  test("reads a resource and gets a prompt", async () => {
    const read = await inspect(target(), "--method", "resources/read", "--uri", "test://static-text");
    expect(read).toContain("This is the content of the static text resource.");
    const prompt = ["--method", "prompts/get", "--prompt-name", "test_prompt_with_arguments"];
    expect(await inspect(target(), ...prompt, "--prompt-args", "arg1=one", "arg2=two")).toContain("arg2='two'");
  });
});
