import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { program } from "../../setup/programs.ts";
import type { Desktop } from "../start-desktop.ts";

/** `clawport tray` in a process of its own. */
export interface StartedTray extends AsyncDisposable {
  readonly process: ChildProcess;
  /** What it printed. */
  printed(): string;
  /** The addresses that it opened in a browser. */
  opened(): Promise<readonly string[]>;
  /** Its exit code. */
  ended(): Promise<number | null>;
}

export async function startTray(desktop: Desktop, home: string, ...words: string[]): Promise<StartedTray> {
  const folder = desktop.env["HOME"]!;
  const browser = join(folder, "browser");
  await writeFile(browser, `#!/bin/sh\necho "$1" >> ${folder}/opened\n`);
  await chmod(browser, 0o755);
  const command = words.length === 0 ? ["tray"] : words;
  const child = spawn(process.execPath, [program("src/cli/main.ts"), ...command, "--home", home], {
    env: { ...desktop.env, BROWSER: browser },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  const exit = once(child, "exit");
  return {
    process: child,
    printed: () => printed,
    async opened() {
      const text = await readFile(join(folder, "opened"), "utf8").catch(() => "");
      return text.split("\n").filter(Boolean);
    },
    ended: async () => (await exit)[0] as number | null,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exit;
    },
  };
}
