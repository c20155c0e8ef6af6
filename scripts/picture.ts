import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { installPackage } from "../conformance/install-package.ts";
import { startModelServer } from "../tests/clients/real/scripted-model.ts";
import { renderTerminal, type ShownCommand } from "./render-terminal.ts";

/**
 * Makes the picture of a terminal in the README from a real run: a new user adds a server, installs Clawport into Claude
 * Code, and Claude Code calls a tool. Only its model is scripted. Prints what is in the picture.
 */
const folder = await mkdtemp(join(tmpdir(), "clawport-picture-"));
const home = join(folder, "me");
const bin = join(folder, "bin");
await mkdir(join(home, "notes"), { recursive: true });
await mkdir(bin);
await writeFile(join(home, "notes", "party.md"), "Friday at eight. Ann brings the cake.\n");

await using models = await startModelServer();
const readNote = { tool: "files__read_text_file", args: { path: join(home, "notes", "party.md") } };
const model = models.open("claude-code", [readNote], "Ann brings the cake, on Friday at eight.");
const claude = join(await installPackage("@anthropic-ai/claude-code", "2.1.325", "claude-code"), "cli-wrapper.cjs");
const clawport = resolve("dist", "cli", "main.js");
const filesystem = await installPackage("@modelcontextprotocol/server-filesystem", "2026.8.31", "server-filesystem");
const programs = { clawport, claude, "mcp-server-filesystem": join(filesystem, "dist", "index.js") };
for (const [name, file] of Object.entries(programs))
  await writeFile(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${file}" "$@"\n`, { mode: 0o755 });

const env = {
  PATH: `${bin}:${process.env["PATH"]}`,
  HOME: home,
  ANTHROPIC_BASE_URL: model.url,
  ANTHROPIC_API_KEY: "any",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  ENABLE_TOOL_SEARCH: "false",
};
const add = "clawport connect --name files mcp-server-filesystem ~/notes | head -1";
const install = "clawport install claude-code --yes | tail -3";
const ask = 'claude -p "Who brings the cake?" --allowedTools mcp__clawport < /dev/null';
const began = performance.now();
const hub = spawn(join(bin, "clawport"), ["up"], { cwd: home, env });
let ready = "";
for await (const chunk of hub.stdout) if ((ready += chunk).includes("Ctrl-C")) break;
const shown: readonly ShownCommand[] = [
  { command: "clawport up &", output: asShown(ready) },
  { command: add, output: await run(add) },
  { command: install, output: await run(install) },
  { command: ask, output: await run(ask) },
  { command: "clawport audit", output: await run("clawport audit") },
];
const seconds = Math.round((performance.now() - began) / 1000);
hub.kill();
await once(hub, "exit");
await rm(folder, { recursive: true, force: true, maxRetries: 5 });

await writeFile(join("docs", "terminal.svg"), renderTerminal(shown));
for (const { command, output } of shown) process.stdout.write(`$ ${command}\n${output}\n\n`);
process.stderr.write(`docs/terminal.svg was written. The commands took ${seconds} s.\n`);

/** Runs a line in a shell and returns what it printed. */
function run(line: string): Promise<string> {
  return new Promise((done, fail) => {
    execFile("sh", ["-c", line], { cwd: home, env, timeout: 120_000 }, (error, stdout, stderr) => {
      if (error) fail(new Error(`${line}\n${stdout}${stderr}`, { cause: error }));
      else done(asShown(`${stdout}${stderr}`));
    });
  });
}

/** Paths as a user would see them. */
function asShown(text: string): string {
  return text.replaceAll(home, "~").trimEnd();
}
