import { sanitizeLine } from "../../core/text/peer-text.ts";
import { redactCommandLine } from "../../core/secrets/redact-command-line.ts";
import { redactText } from "../../core/secrets/redact.ts";
import type { FoundClientFile } from "../../sources/servers/import/find-client-files.ts";
import type { ImportedServer } from "../../sources/servers/import/imported-server.ts";
import type { ImportPlan, PlannedFile } from "../../sources/servers/import/plan-import.ts";
import type { CommandContext } from "../command-context.ts";
import { backupText } from "./client-edit.ts";

export interface ImportReport {
  /** The configuration that the servers go into. */
  readonly file: string;
  readonly isWritten: boolean;
  readonly isDry: boolean;
  readonly plan: ImportPlan;
  /** Environment variables that the imported servers need and that are not set. */
  readonly unset: readonly string[];
  readonly untrusted: readonly FoundClientFile[];
  /** The configuration that commands in this folder use. */
  readonly activeFile: string | undefined;
  /** With `--move`: what was taken out of the programs' files, and which files still have such entries. */
  readonly moved?: { readonly files: readonly MovedFile[]; readonly left: readonly string[] } | undefined;
}

export interface MovedFile {
  readonly path: string;
  /** The file as it was. */
  readonly backup: string | undefined;
  /** The client that has no entry of Clawport yet, and no servers any more. */
  readonly needs: string | undefined;
}

/** Reports what was imported and what was not. It shows a server's address or command, without secrets. */
export function reportImport(context: CommandContext, result: ImportReport): void {
  context.answer(toData(result), toText(context, result));
}

function toData({ file, isWritten, plan, unset, untrusted, moved }: ImportReport): unknown {
  return {
    file,
    written: isWritten,
    sources: plan.files.map(({ file: source, taken, skipped, problem }) => ({
      program: source.client.id,
      path: source.path,
      taken: taken.map(({ name, server, notes }) => ({ name, target: targetOf(server), notes })),
      skipped,
      ...(problem !== undefined && { problem }),
    })),
    unset,
    untrusted: untrusted.map(({ client, path }) => ({ program: client.id, path })),
    ...(moved !== undefined && { moved: moved.files, left: moved.left }),
  };
}

function toText(context: CommandContext, result: ImportReport): string {
  const { plan, unset, untrusted, isWritten, activeFile, file } = result;
  const { style } = context;
  const blocks = plan.files.map((source) => renderSource(context, source));
  const untrustedBlocks = untrusted.map(({ client, path }) => {
    return `${style.bold(client.title)}  ${path}\n  ${style.yellow("!")} comes with this folder: review it with --dry-run --trust, import it with --trust`;
  });
  const end = [
    summary(result),
    ...movedLines(result),
    ...(unset.length > 0 ? [`Set these environment variables before the next start: ${unset.join(", ")}`] : []),
    ...(isWritten && activeFile !== file
      ? [
          `Commands in this folder use ${activeFile} instead. Run \`clawport import --config ${activeFile}\` to add to that.`,
        ]
      : []),
  ];
  return [...blocks, ...untrustedBlocks, end.join("\n")].join("\n\n");
}

function renderSource({ style }: CommandContext, { file: source, taken, skipped, problem }: PlannedFile): string {
  const width = Math.max(0, ...[...taken, ...skipped].map(({ name }) => sanitizeLine(name).length));
  const line = (mark: string, name: string, text: string): string => {
    return `  ${mark} ${sanitizeLine(name).padEnd(width)}  ${sanitizeLine(text)}`;
  };
  const lines = [
    ...taken.flatMap(({ name, server, notes }) => [
      line(style.green("+"), name, targetOf(server)),
      ...notes.map((note) => style.dim(`${" ".repeat(width + 6)}${sanitizeLine(note)}`)),
    ]),
    ...skipped.map(({ name, reason }) => line(style.yellow("-"), name, reason)),
    ...(problem === undefined ? [] : [`  ${style.red("!")} ${sanitizeLine(problem)}`]),
  ];
  const title = `${style.bold(source.client.title)}  ${source.path}`;
  return [title, ...(lines.length > 0 ? lines : ["  no servers"])].join("\n");
}

const otherCopies =
  "The programs keep their own entries. After `clawport install <client>`, remove them with `clawport import --move`, or each tool is listed twice.";

function movedLines({ moved, isWritten }: ImportReport): readonly string[] {
  if (moved === undefined) return isWritten ? [otherCopies] : [];
  return [
    ...moved.files.map(({ path, backup }) => `Removed from ${path}.${backupText(backup)}`),
    ...moved.files.flatMap(({ needs }) => (needs === undefined ? [] : [`Run \`clawport install ${needs}\` next.`])),
    ...moved.left.map((path) => `${path} keeps its entries: remove them there, or each tool is listed twice.`),
  ];
}

function summary({ file, isWritten, isDry, plan, untrusted }: ImportReport): string {
  const count = Object.keys(plan.servers).length;
  const servers = count === 1 ? "1 server" : `${count} servers`;
  if (isWritten) return `${servers} added to ${file}. Run \`clawport servers\` to see them.`;
  if (isDry && count > 0) return `${servers} would be added to ${file}. Nothing was written.`;
  if (plan.files.length + untrusted.length > 0) return "Nothing to add.";
  return "No MCP servers of other programs found. Run `clawport import --from <file>` to name a file.";
}

function targetOf({ url, command = "", args = [] }: ImportedServer): string {
  return url === undefined ? redactCommandLine([command, ...args]) : redactText(url);
}
