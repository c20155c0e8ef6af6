import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createLimitServer } from "./limit-http-server.ts";

/** As many servers as the first argument says, each on a port of its own: one line names them when all listen. */
const servers = Array.from({ length: Number(process.argv[2]) }, () => {
  const server = createLimitServer();
  server.keepAliveTimeout = 120_000;
  return server.listen(0, "127.0.0.1");
});
await Promise.all(servers.map((server) => once(server, "listening")));
const ports = servers.map((server) => (server.address() as AddressInfo).port);
process.stdout.write(`${JSON.stringify({ ports })}\n`);
