import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { Fault } from "../src/core/fault.ts";

/** The program of the fixture. Without arguments it serves over stdio. */
export const fixtureProgram = path.join(import.meta.dirname, "fixture", "main.ts");

export interface RunningFixture extends AsyncDisposable {
  readonly url: string;
}

/** Starts the fixture in a separate process on a free loopback port. It always exits with this process. */
export async function startFixture(): Promise<RunningFixture> {
  const child = spawn(process.execPath, [fixtureProgram, "--http"], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, "line"), ended]);
  const url = String(first[0]);
  if (!URL.canParse(url)) throw new Fault("internal", "The fixture did not start. See its output above.");
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
