import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export interface NodeClient extends AsyncDisposable {
  readonly client: Client;
  /** Calls a tool; `structured` is checked against the tool's schema by the client. */
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolAnswer>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  onProgress?(progress: number): void;
}

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Record<string, unknown>;
  readonly blocks: readonly { readonly type: string; readonly [field: string]: unknown }[];
  /** The data of the first image. */
  readonly image: string;
  /** The address of the first link. */
  readonly link: string;
}

/** The official client of MCP. */
export async function openClient({ url, token }: { url: string; token: string }): Promise<NodeClient> {
  const client = new Client({ name: "desktop", version: "1" }, { capabilities: {} });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  // The client checks results against the schemas of the list.
  await client.listTools();
  return {
    client,
    async call(name, args = {}, { signal, onProgress } = {}) {
      const result = await client.callTool(
        { name, arguments: args },
        {
          timeout: 60_000,
          ...(signal && { signal }),
          ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
        },
      );
      const blocks = result.content as ToolAnswer["blocks"];
      const find = (type: string, field: string): string => {
        const value = blocks.find((block) => block.type === type)?.[field];
        return typeof value === "string" ? value : "";
      };
      return {
        isError: result.isError === true,
        text: find("text", "text"),
        structured: (result.structuredContent ?? {}) as Record<string, unknown>,
        blocks,
        image: find("image", "data"),
        link: find("resource_link", "uri"),
      };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
