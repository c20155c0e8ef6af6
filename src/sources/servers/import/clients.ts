import { editor, literal, mcporter, openclaw, type Dialect } from "./dialects.ts";
import type { Reading, Surroundings } from "./reading.ts";

/** A program whose servers can be taken over. */
export interface Client {
  readonly id: string;
  readonly title: string;
  /** The files it keeps its servers in, by the end of their path. */
  readonly files: RegExp;
  read(text: string, around: Surroundings): Promise<Reading>;
}

export const clients: readonly Client[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    files: /(?:^|[/\\])\.(?:claude|mcp)\.json$/,
    read: async (text, around) => (await import("./read-claude-code.ts")).readClaudeCode(text, around),
  },
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    files: /claude_desktop_config\.json$/,
    read: (text, around) => readWith(literal, text, around),
  },
  {
    id: "cursor",
    title: "Cursor",
    files: /\.cursor[/\\]mcp\.json$/,
    read: (text, around) => readWith(editor, text, around),
  },
  {
    id: "vscode",
    title: "VS Code",
    files: /(?:\.vscode|User)[/\\](?:mcp|settings)\.json$/,
    read: (text, around) => readWith(editor, text, around),
  },
  {
    id: "codex",
    title: "Codex",
    files: /\.toml$/,
    read: async (text, around) => (await import("./read-codex.ts")).readCodex(text, around),
  },
  {
    id: "windsurf",
    title: "Windsurf",
    files: /mcp_config\.json$/,
    read: (text, around) => readWith(editor, text, around),
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    files: /\.gemini[/\\]settings\.json$/,
    read: async (text, around) => (await import("./read-gemini.ts")).readGemini(text, around),
  },
  {
    id: "openclaw",
    title: "OpenClaw",
    files: /openclaw\.json5?$/,
    read: (text, around) => readWith(openclaw, text, around),
  },
  {
    id: "mcporter",
    title: "mcporter",
    files: /mcporter\.jsonc?$/,
    read: (text, around) => readWith(mcporter, text, around),
  },
];

/** For a file that looks like none of theirs: the references of all of them are understood. */
export const anyClient: Client = {
  id: "file",
  title: "a file",
  files: /$/,
  read: (text, around) => readWith(editor, text, around),
};

async function readWith(dialect: Dialect, text: string, around: Surroundings): Promise<Reading> {
  const { readServers } = await import("./read-servers.ts");
  return readServers(text, dialect, around);
}
