import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadConfig } from "../../src/core/config/load-config.ts";
import { openHome } from "../../src/core/files/home.ts";
import { createLiveLog } from "../../src/core/log.ts";
import { openHub } from "../../tests/support/open-hub.ts";

/**
 * A hub in front of the server at the given URL, on a free loopback port. The runner can't send a token, so a forwarder
 * adds it and leaves everything else as it is. Prints the URL as its first line, and exits when stdin ends.
 */
const [url = ""] = process.argv.slice(2);
const folder = await mkdtemp(path.join(tmpdir(), "clawport-conformance-hub-"));
const home = await openHome(folder);
// Without a prefix, so that the tools have the names that the runner calls.
const text = JSON.stringify({ servers: { fixture: { url, toolPrefix: "" } } });
const { config } = await loadConfig({ path: path.join(folder, "clawport.json5"), text, env: {} });
const log = createLiveLog({ level: "error", format: "human", write: (line) => process.stderr.write(line) });
const hub = await openHub({ home, configuration: { config }, env: {}, log, version: "0.0.0", port: 0 });
await hub.settled(10_000);
const authorization = `Bearer ${(await readFile(hub.tokenPath, "utf8")).trim()}`;

const forwarder = createServer(forward);
const { promise: listening, resolve } = Promise.withResolvers<void>();
forwarder.listen(0, "127.0.0.1", resolve);
await listening;
const bound = forwarder.address();
process.stdin.resume().once("end", () => void stop());
console.log(`http://127.0.0.1:${typeof bound === "object" ? bound?.port : 0}/mcp`);

function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers } = incoming;
  const forwarded = sendRequest(hub.url, { method, headers: { ...headers, authorization } }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  forwarded.on("error", () => outgoing.destroy());
  outgoing.on("close", () => forwarded.destroy());
  incoming.pipe(forwarded);
}

async function stop(): Promise<void> {
  await hub.close();
  await rm(folder, { recursive: true, force: true });
  process.exit();
}
