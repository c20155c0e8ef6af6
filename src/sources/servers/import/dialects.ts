import { basename, sep } from "node:path";
import type { ClientFileContext, ConversionNotes } from "./imported-server.ts";

/** How a client writes references to variables: translates one of its texts into one of our configuration. */
export type Dialect = (text: string, context: ClientFileContext, notes: ConversionNotes) => string;

/** No references: a dollar sign is just a dollar sign (Claude Desktop, Codex). */
export const literalDialect: Dialect = (text) => escapeDollars(text);

/** `${NAME}` and `${NAME:-default}` (Claude Code). */
export const bracedDialect: Dialect = (text) => translate(text, /\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/g, (found) => found);

/** As `bracedDialect`, and `$NAME` (Gemini CLI). */
export const shellDialect: Dialect = (text) => {
  return translate(text, /\$(?:([A-Za-z_]\w*)|\{[A-Za-z_]\w*(?::-[^}]*)?\})/g, (found, name) =>
    name === undefined ? found : envReference(name),
  );
};

/** As `bracedDialect`, and `$env:NAME` as the whole text (mcporter). */
export const mcporterDialect: Dialect = (text, context, notes) => {
  const [, name] = /^\$env:([A-Za-z_]\w*)$/.exec(text) ?? [];
  return name === undefined ? bracedDialect(text, context, notes) : envReference(name);
};

/** `${NAME}` in capitals only, and `$${NAME}` for the text `${NAME}` (OpenClaw). */
export const openclawDialect: Dialect = (text) => {
  return translate(text, /\$?\$\{[A-Z_][A-Z0-9_]*\}/g, (found) => found);
};

/** `${env:NAME}`, `${input:id}`, `${workspaceFolder}` and the like (VS Code, Cursor, Windsurf), and all of `bracedDialect`. */
export const editorDialect: Dialect = (text, context, notes) => {
  return translate(text, /\$\{([^}]*)\}/g, (found, inside = "") => resolveEditor(found, inside, context, notes));
};

function resolveEditor(found: string, inside: string, context: ClientFileContext, notes: ConversionNotes): string {
  const [, kind, rest = ""] = /^([A-Za-z]+):(?!-)(.*)$/s.exec(inside) ?? [];
  if (kind === "env" && isVariableName(rest)) return envReference(rest);
  if (kind === "input") return resolveInput(rest, notes);
  const folder = folderOf(kind ?? inside, context);
  if (folder !== undefined) {
    if (context.scope === "user" && /workspace|cwd/.test(inside)) {
      notes.add(`${found} was replaced with ${context.folder}`);
    }
    return escapeDollars(folder);
  }
  if (/^[A-Za-z_]\w*(?::-.*)?$/s.test(inside)) return found;
  notes.refuse(`uses ${found}, which works only in its editor; write the value itself, or $NAME`);
  return "";
}

function resolveInput(id: string, notes: ConversionNotes): string {
  const name = toVariableName(id);
  notes.add(`its editor asks for the input "${id}"; set the environment variable ${name} instead`);
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

/** A text as the name of an environment variable. */
export function toVariableName(text: string): string {
  const words = text.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();
  const name = words.replaceAll(/[^A-Z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "");
  return /^[A-Z]/.test(name) ? name : `INPUT_${name}`;
}

export function isVariableName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text);
}

/** Doubles each dollar sign that our configuration would take for the start of a reference. */
export function escapeDollars(text: string): string {
  return text.replaceAll(/\$(?=[$A-Za-z_{])/g, "$$$$");
}

/** Replaces what the pattern finds, and escapes the text in between. */
function translate(text: string, pattern: RegExp, replace: (found: string, group?: string) => string): string {
  let done = 0;
  let result = "";
  for (const match of text.matchAll(pattern)) {
    result += escapeDollars(text.slice(done, match.index)) + replace(match[0], match[1]);
    done = match.index + match[0].length;
  }
  return result + escapeDollars(text.slice(done));
}
