/** What to paste into a client to connect it to the hub. No block contains the token itself. */
export interface ClientBlock {
  readonly client: string;
  /** The file it goes into; undefined if it is a shell command. */
  readonly file?: string;
  readonly text: string;
}

/** The line for the shell's start-up file that every block with `CLAWPORT_TOKEN` needs. */
export function exportTokenLine(tokenPath: string): string {
  return `export CLAWPORT_TOKEN="$(cat ${shellWord(tokenPath)})"`;
}

export function clientBlocks({
  url,
  tokenPath,
}: {
  readonly url: string;
  readonly tokenPath: string;
}): readonly ClientBlock[] {
  const bearer = (variable: string): { Authorization: string } => ({ Authorization: `Bearer ${variable}` });
  const json = (value: unknown): string => JSON.stringify(value, undefined, 2);
  return [
    {
      client: "Claude Code",
      text: `claude mcp add --transport http clawport ${url} --header "Authorization: Bearer $(cat ${shellWord(tokenPath)})"`,
    },
    {
      client: "Claude Code, for a project",
      file: ".mcp.json",
      text: json({ mcpServers: { clawport: { type: "http", url, headers: bearer("${CLAWPORT_TOKEN}") } } }),
    },
    {
      client: "Cursor",
      file: "~/.cursor/mcp.json",
      text: json({ mcpServers: { clawport: { url, headers: bearer("${env:CLAWPORT_TOKEN}") } } }),
    },
    {
      client: "Codex",
      file: "~/.codex/config.toml",
      text: `[mcp_servers.clawport]\nurl = ${JSON.stringify(url)}\nbearer_token_env_var = "CLAWPORT_TOKEN"`,
    },
    {
      client: "OpenClaw",
      file: "~/.openclaw/openclaw.json",
      text: json({
        mcp: { servers: { clawport: { transport: "streamable-http", url, headers: bearer("${CLAWPORT_TOKEN}") } } },
      }),
    },
  ];
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
