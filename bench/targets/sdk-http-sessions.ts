import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { announce } from "./announce.ts";
import { createSdkServer } from "./sdk-server.ts";

/** The SDK's handler keeps no sessions; with its session transport there is one server and one transport for each. */
const transports = new Map<string, NodeStreamableHTTPServerTransport>();

announce(
  createServer((request, response) => {
    const known = transports.get(String(request.headers["mcp-session-id"]));
    void (known === undefined ? openSession() : Promise.resolve(known)).then((transport) =>
      transport.handleRequest(request, response),
    );
  }),
);

async function openSession(): Promise<NodeStreamableHTTPServerTransport> {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  await createSdkServer().connect(transport);
  return transport;
}
