import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { mainFile, type Place } from "../../support/cli/run-clawport.ts";

export interface StartedCommand extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly url: string;
  readonly token: string;
}

export interface StartOptions {
  readonly place: Place;
  readonly machine: object;
  /** What comes before the command, to run it elsewhere or as another user. */
  readonly wrapper: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** `clawport node` as a process of its own. */
export async function startCommand({ place, machine, wrapper, env = {} }: StartOptions): Promise<StartedCommand> {
  await mkdir(place.home, { recursive: true, mode: 0o700 });
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify({ machine }));
  const [command, ...args] = [...wrapper, process.execPath, mainFile, "node", "--json", "--port", "0"];
  const child = spawn(command, args, {
    env: { ...place.env, ...env },
    cwd: place.folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  const line = once(createInterface({ input: child.stdout }), "line").then(([text]) => String(text));
  const failed = once(child, "exit").then(([code]) => Promise.reject(new Error(`ended with ${code}: ${errors}`)));
  const { url, tokenPath, pid } = JSON.parse(await Promise.race([line, failed])) as Record<
    "url" | "tokenPath",
    string
  > & { pid: number };
  failed.catch(() => {});
  return {
    child,
    pid,
    url,
    token: (await readFile(tokenPath, "utf8")).trim(),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
