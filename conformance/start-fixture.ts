import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { Fault } from "../src/core/fault.ts";

/** The program of the fixture. Without arguments it serves over stdio. */
export const fixtureProgram = path.join(import.meta.dirname, "fixture", "main.ts");
const hubProgram = path.join(import.meta.dirname, "hub", "main.ts");

export interface RunningFixture extends AsyncDisposable {
  readonly url: string;
}

/** Starts the fixture in a separate process on a free loopback port. It always exits with this process. */
export function startFixture(): Promise<RunningFixture> {
  return startProgram(fixtureProgram, ["--http"]);
}

/** Starts a hub in front of the server at the URL, likewise. */
export function startHubFor(url: string): Promise<RunningFixture> {
  return startProgram(hubProgram, [url]);
}

/** The first line that the program prints is its URL. */
async function startProgram(program: string, args: readonly string[]): Promise<RunningFixture> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, "line"), ended]);
  const url = String(first[0]);
  if (!URL.canParse(url)) throw new Fault("internal", `${program} did not start. See its output above.`);
  return {
    url,
    async [Symbol.asyncDispose]() {
      // Its input ends: it closes what it has opened. It may not, so it is killed after a while.
      child.stdin.end();
      const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
      await ended;
      clearTimeout(timer);
    },
  };
}
