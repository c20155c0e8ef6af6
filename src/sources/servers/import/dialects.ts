import { basename, sep } from "node:path";
import type { ClientFileContext, ConversionNotes } from "./imported-server.ts";

/** How a client writes references in its texts: turns one of its texts into one of ours. */
export type Dialect = (text: string, around: ClientFileContext, remarks: ConversionNotes) => string;

/** No references at all: every dollar sign is meant as it stands (Claude Desktop, Codex). */
export const literalDialect: Dialect = (text) => escapeDollars(text);

/** `${NAME}` and `${NAME:-default}` (Claude Code). */
export const bracedDialect: Dialect = (text) => translate(text, /\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/g, (found) => found);

/** As `braced`, and `$NAME` (Gemini CLI). */
export const shellDialect: Dialect = (text) => {
  return translate(text, /\$(?:([A-Za-z_]\w*)|\{[A-Za-z_]\w*(?::-[^}]*)?\})/g, (found, name) =>
    name === undefined ? found : envReference(name),
  );
};

/** As `braced`, and `$env:NAME` as the whole text (mcporter). */
export const mcporterDialect: Dialect = (text, around, remarks) => {
  const [, name] = /^\$env:([A-Za-z_]\w*)$/.exec(text) ?? [];
  return name === undefined ? bracedDialect(text, around, remarks) : envReference(name);
};

/** `${NAME}` in capitals only, and `$${NAME}` for the text `${NAME}` (OpenClaw). */
export const openclawDialect: Dialect = (text) => {
  return translate(text, /\$?\$\{[A-Z_][A-Z0-9_]*\}/g, (found) => found);
};

/** `${env:NAME}`, `${input:id}`, `${workspaceFolder}` and their kin (VS Code, Cursor, Windsurf), and all of `braced`. */
export const editorDialect: Dialect = (text, around, remarks) => {
  return translate(text, /\$\{([^}]*)\}/g, (found, inside = "") => resolveEditor(found, inside, around, remarks));
};

function resolveEditor(found: string, inside: string, around: ClientFileContext, remarks: ConversionNotes): string {
  const [, kind, rest = ""] = /^([A-Za-z]+):(?!-)(.*)$/s.exec(inside) ?? [];
  if (kind === "env" && isVariableName(rest)) return envReference(rest);
  if (kind === "input") return resolveInput(rest, remarks);
  const folder = folderOf(kind ?? inside, around);
  if (folder !== undefined) {
    if (around.scope === "user" && /workspace|cwd/.test(inside)) {
      remarks.note(`${found} was taken for ${around.folder}`);
    }
    return escapeDollars(folder);
  }
  if (/^[A-Za-z_]\w*(?::-.*)?$/s.test(inside)) return found;
  remarks.refuse(`uses ${found}, which has no meaning outside its editor; write the value itself, or $NAME`);
  return "";
}

function resolveInput(id: string, remarks: ConversionNotes): string {
  const name = toVariableName(id);
  remarks.note(`its editor asks for the input "${id}": set the environment variable ${name} instead`);
  return envReference(name);
}

function folderOf(word: string, { folder, homedir }: ClientFileContext): string | undefined {
  if (word === "workspaceFolder" || word === "workspaceRoot" || word === "cwd") return folder;
  if (word === "workspaceFolderBasename") return basename(folder);
  if (word === "userHome") return homedir;
  if (word === "pathSeparator" || word === "/") return sep;
  return undefined;
}

/** A reference to an environment variable, in our configuration. */
export function envReference(name: string): string {
  return `\${${name}}`;
}

/** The name of an environment variable that says the same. */
export function toVariableName(text: string): string {
  const words = text.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();
  const name = words.replaceAll(/[^A-Z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "");
  return /^[A-Z]/.test(name) ? name : `INPUT_${name}`;
}

export function isVariableName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text);
}

/** Doubles each dollar sign that our configuration would take for the beginning of a reference. */
export function escapeDollars(text: string): string {
  return text.replaceAll(/\$(?=[$A-Za-z_{])/g, "$$$$");
}

/** Replaces what the pattern finds, and keeps the text between literal. */
function translate(text: string, pattern: RegExp, replace: (found: string, group?: string) => string): string {
  let done = 0;
  let result = "";
  for (const match of text.matchAll(pattern)) {
    result += escapeDollars(text.slice(done, match.index)) + replace(match[0], match[1]);
    done = match.index + match[0].length;
  }
  return result + escapeDollars(text.slice(done));
}
