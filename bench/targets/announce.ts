import type { AddressInfo } from "node:net";
import type { Server } from "node:http";

/** The one line by which an HTTP target says that it listens. */
export function announce(server: Server, path = "/mcp"): void {
  server.keepAliveTimeout = 120_000;
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ port, path })}\n`);
  });
}
