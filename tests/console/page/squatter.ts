import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A request as it arrived at a port that its sender took for the hub's. */
export interface StolenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A program of another user that answers at a port like a hub, as far as it can, and keeps everything it is sent. */
export interface Squatter extends AsyncDisposable {
  readonly stolen: readonly StolenRequest[];
}

/** The user "nobody" of most systems. */
const otherUser = 65_534;

export async function startSquatter(port: number): Promise<Squatter> {
  const child = spawn(process.execPath, ["-e", program, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const stolen: StolenRequest[] = [];
  const lines = createInterface({ input: child.stdout });
  const failed = ended.then(([code]) => Promise.reject(new Error(`the squatter ended with ${String(code)}`)));
  await Promise.race([once(lines, "line"), failed]);
  failed.catch(() => {});
  lines.on("line", (line) => stolen.push(JSON.parse(line) as StolenRequest));
  return {
    stolen,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Becomes the other user after it has started: that user may not be able to read this Node. */
const program = `
process.setgroups([]); process.setgid(${otherUser}); process.setuid(${otherUser});
const server = require("node:http").createServer((request, response) => {
  const { method, url, headers } = request;
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    process.stdout.write(JSON.stringify({ method, url, headers, body }) + "\\n");
    if (url.startsWith("/console/api/events")) {
      response.writeHead(200, { "content-type": "text/event-stream", "x-clawport-proof": "A".repeat(43) });
      return response.write('data: {"type":"hello","version":"6.6.6","mayChange":true}\\n\\n');
    }
    if (url.startsWith("/console/assets/")) {
      response.writeHead(200, { "content-type": "text/javascript" });
      return response.end("globalThis.pwned = true; export const ToolsPage = () => null;");
    }
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"result":{"token":"false","sources":[],"waiting":[],"refused":[],"changed":[]}}');
  });
});
server.listen(Number(process.argv[1]), "127.0.0.1", () => process.stdout.write("ready\\n"));
`;
