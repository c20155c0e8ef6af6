/** A client that loads the definitions of tools when its model needs them, and not before. */
interface DeferringClient {
  /** The name that it gives itself in `clientInfo`, in lower case. */
  readonly name: string;
  /** Where that is documented. */
  readonly source: string;
}

/**
 * These clients get the whole list: their own search knows the conversation, and a second one behind it would only be in
 * the way.
 */
const deferringClients: readonly DeferringClient[] = [
  { name: "claude-code", source: "https://code.claude.com/docs/en/mcp#scale-with-mcp-tool-search" },
  { name: "codex-mcp-client", source: "https://github.com/openai/codex/pull/31745" },
  { name: "openclaw-bundle-mcp", source: "https://docs.openclaw.ai/tools/tool-search" },
  { name: "clawport", source: "a relay of Clawport, which chooses for its own client" },
];

const names: ReadonlySet<string> = new Set(deferringClients.map(({ name }) => name));

export function loadsToolsOnDemand(client: string): boolean {
  return names.has(client.toLowerCase());
}
