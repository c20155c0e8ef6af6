import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { Fault } from "../src/core/fault.ts";

/** What to run for a fixture that speaks over stdio. */
export const fixtureProgram = path.join(import.meta.dirname, "fixture", "main.ts");

export interface RunningFixture extends AsyncDisposable {
  readonly url: string;
}

/** The fixture in a process of its own on a free loopback port. It ends with this process, whatever happens to us. */
export async function startFixture(): Promise<RunningFixture> {
  const child = spawn(process.execPath, [fixtureProgram, "--http"], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, "line"), ended]);
  const url = String(first[0]);
  if (!URL.canParse(url)) throw new Fault("internal", "The fixture did not start; its messages are above.");
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
