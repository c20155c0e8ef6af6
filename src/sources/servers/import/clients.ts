import { type Dialect, editorDialect, literalDialect, mcporterDialect, openclawDialect } from "./dialects.ts";
import type { ClientFileContext, ImportReading } from "./imported-server.ts";

/** A program whose servers can be taken over. */
export interface ImportClient {
  readonly id: string;
  readonly title: string;
  /** The files it keeps its servers in, by the end of their path. */
  readonly files: RegExp;
  read(text: string, around: ClientFileContext): Promise<ImportReading>;
}

export const clients: readonly ImportClient[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    files: /(?:^|[/\\])\.(?:claude|mcp)\.json$/,
    read: async (text, around) => (await import("./readers.ts")).readClaudeCode(text, around),
  },
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    files: /claude_desktop_config\.json$/,
    read: (text, around) => readWith(literalDialect, text, around),
  },
  {
    id: "cursor",
    title: "Cursor",
    files: /\.cursor[/\\]mcp\.json$/,
    read: (text, around) => readWith(editorDialect, text, around),
  },
  {
    id: "vscode",
    title: "VS Code",
    files: /(?:\.vscode|User)[/\\](?:mcp|settings)\.json$/,
    read: (text, around) => readWith(editorDialect, text, around),
  },
  {
    id: "codex",
    title: "Codex",
    files: /\.toml$/,
    read: async (text, around) => (await import("./readers.ts")).readCodex(text, around),
  },
  {
    id: "windsurf",
    title: "Windsurf",
    files: /mcp_config\.json$/,
    read: (text, around) => readWith(editorDialect, text, around),
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    files: /\.gemini[/\\]settings\.json$/,
    read: async (text, around) => (await import("./readers.ts")).readGemini(text, around),
  },
  {
    id: "openclaw",
    title: "OpenClaw",
    files: /openclaw\.json5?$/,
    read: (text, around) => readWith(openclawDialect, text, around),
  },
  {
    id: "mcporter",
    title: "mcporter",
    files: /mcporter\.jsonc?$/,
    read: (text, around) => readWith(mcporterDialect, text, around),
  },
];

/** For a file that looks like none of theirs: the references of all of them are understood. */
export const anyClient: ImportClient = {
  id: "file",
  title: "a file",
  files: /$/,
  read: (text, around) => readWith(editorDialect, text, around),
};

async function readWith(dialect: Dialect, text: string, around: ClientFileContext): Promise<ImportReading> {
  const { readJsonServers } = await import("./readers.ts");
  return readJsonServers(text, dialect, around);
}
