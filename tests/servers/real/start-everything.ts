import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { freePort } from "../../support/free-port.ts";
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
