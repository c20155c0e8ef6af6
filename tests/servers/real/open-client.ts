import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

export interface RealClient extends AsyncDisposable {
  readonly client: Client;
}

/** The official client, whose person, model and folders answer always the same. */
export async function openClient(transport: Transport, root: string): Promise<RealClient> {
  const client = new Client(
    { name: "compare", version: "1" },
    { capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } },
  );
  client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
    params.mode === "url"
      ? { action: "accept" }
      : { action: "accept", content: { name: "Ada", check: true, color: "blue" } },
  );
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
    role: "assistant",
    model: "mock",
    content: { type: "text", text: `heard ${JSON.stringify(params.messages)}` },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: `file://${root}`, name: root.split("/").at(-1)! }],
  }));
  await client.connect(transport);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}
