import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { installServer } from "./install-server.ts";

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
}

/** The server «everything» over HTTP, in its newer or its older way. */
export async function startEverything(way: "streamableHttp" | "sse"): Promise<RunningServer> {
  const { command, program } = await installServer("everything");
  const port = await freePort();
  const child = spawn(command, [program, way], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stderr });
  await new Promise<void>((resolve) => lines.on("line", (line) => line.includes(`on port ${port}`) && resolve()));
  return {
    url: `http://127.0.0.1:${port}/${way === "sse" ? "sse" : "mcp"}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Nobody else takes it in the moment between. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
