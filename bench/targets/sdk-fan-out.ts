import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readServers, reportListed } from "./fan-out.ts";
import type { FanOutServer } from "./fan-out.ts";

const clients = Object.values(readServers()).map((server) => ({
  client: new Client({ name: "bench", version: "1" }),
  transport: transportTo(server),
}));
const counts = await Promise.all(
  clients.map(async ({ client, transport }) => {
    await client.connect(transport);
    return (await client.listTools()).tools.length;
  }),
);
reportListed(counts.reduce((total, count) => total + count, 0));
await Promise.all(clients.map(({ client }) => client.close()));
process.exit(0);

function transportTo(server: FanOutServer): StdioClientTransport | StreamableHTTPClientTransport {
  if ("url" in server) return new StreamableHTTPClientTransport(new URL(server.url));
  return new StdioClientTransport({ command: server.command, args: [...server.args], stderr: "pipe" });
}
