import { type Dialect, editorDialect, literalDialect, mcporterDialect, openclawDialect } from "./dialects.ts";
import type { ClientFileContext, ImportReading } from "./imported-server.ts";

/** A program whose servers can be imported. */
export interface ImportClient {
  readonly id: string;
  readonly title: string;
  /** The files it keeps its servers in, by the end of their path. */
  readonly files: RegExp;
  read(text: string, context: ClientFileContext): Promise<ImportReading>;
}

/** Loaded when a file is read: finding the files needs neither TOML nor the configuration schema. */
const readers = () => import("./readers.ts");

export const clients: readonly ImportClient[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    files: /(?:^|[/\\])\.(?:claude|mcp)\.json$/,
    read: async (text, context) => (await readers()).readClaudeCode(text, context),
  },
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    files: /claude_desktop_config\.json$/,
    read: (text, context) => readWith(literalDialect, text, context),
  },
  {
    id: "cursor",
    title: "Cursor",
    files: /\.cursor[/\\]mcp\.json$/,
    read: (text, context) => readWith(editorDialect, text, context),
  },
  {
    id: "vscode",
    title: "VS Code",
    files: /(?:\.vscode|User)[/\\](?:mcp|settings)\.json$/,
    read: (text, context) => readWith(editorDialect, text, context),
  },
  {
    id: "codex",
    title: "Codex",
    files: /\.toml$/,
    read: async (text, context) => (await readers()).readCodex(text, context),
  },
  {
    id: "windsurf",
    title: "Windsurf",
    files: /mcp_config\.json$/,
    read: (text, context) => readWith(editorDialect, text, context),
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    files: /\.gemini[/\\]settings\.json$/,
    read: async (text, context) => (await readers()).readGemini(text, context),
  },
  {
    id: "openclaw",
    title: "OpenClaw",
    files: /openclaw\.json5?$/,
    read: (text, context) => readWith(openclawDialect, text, context),
  },
  {
    id: "mcporter",
    title: "mcporter",
    files: /mcporter\.jsonc?$/,
    read: (text, context) => readWith(mcporterDialect, text, context),
  },
];

/** For a file that belongs to none of them: understands the references of all of them. */
export const anyClient: ImportClient = {
  id: "file",
  title: "a file",
  files: /$/,
  read: (text, context) => readWith(editorDialect, text, context),
};

async function readWith(dialect: Dialect, text: string, context: ClientFileContext): Promise<ImportReading> {
  const { readJsonServers } = await readers();
  return readJsonServers(text, dialect, context);
}
