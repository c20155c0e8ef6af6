import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { mainFile, type Place } from "../cli/run-clawport.ts";

export interface ProxyProcess extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly address: string;
  readonly port: number;
}

/** Starts `clawport proxy` and waits until it says that it is ready. */
export async function startProxyProcess(place: Place, ...args: string[]): Promise<ProxyProcess> {
  const all = [mainFile, "proxy", "--json", ...args];
  const child = spawn(process.execPath, all, { env: place.env, cwd: place.folder });
  const ended = once(child, "exit");
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  const failed = ended.then(([code]) => Promise.reject(new Error(`ended with ${code}: ${errors}`)));
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), failed]);
  failed.catch(() => {});
  const { address, port } = JSON.parse(String(line));
  return {
    child,
    address,
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
