import { sanitizeLine } from "../../core/sanitize-text.ts";
import { redactCommandLine } from "../../core/secrets/redact-command-line.ts";
import { redactText } from "../../core/secrets/redact.ts";
import type { ClientFile } from "../../sources/servers/import/find-client-files.ts";
import type { ImportedServer } from "../../sources/servers/import/imported-server.ts";
import type { ImportPlan, PlannedFile } from "../../sources/servers/import/plan-import.ts";
import type { CommandContext } from "../command-context.ts";

export interface ImportReport {
  /** The configuration that the servers go into. */
  readonly file: string;
  readonly isWritten: boolean;
  readonly isDry: boolean;
  readonly plan: ImportPlan;
  /** Environment variables that the taken servers need and nobody has set. */
  readonly unset: readonly string[];
  readonly untrusted: readonly ClientFile[];
  /** The configuration that is read from this folder. */
  readonly inForce: string | undefined;
}

/** Says what was taken and what was not. No secret is shown: a server appears by its address or command alone. */
export function reportImport(context: CommandContext, result: ImportReport): void {
  context.answer(toData(result), toText(context, result));
}

function toData({ file, isWritten, plan, unset, untrusted }: ImportReport): unknown {
  return {
    file,
    written: isWritten,
    sources: plan.sources.map(({ source, taken, skipped, problem }) => ({
      program: source.client.id,
      path: source.path,
      taken: taken.map(({ name, server, notes }) => ({ name, target: targetOf(server), notes })),
      skipped,
      ...(problem !== undefined && { problem }),
    })),
    unset,
    untrusted: untrusted.map(({ client, path }) => ({ program: client.id, path })),
  };
}

function toText(context: CommandContext, result: ImportReport): string {
  const { plan, unset, untrusted, isWritten, inForce, file } = result;
  const { style } = context;
  const blocks = plan.sources.map((source) => renderSource(context, source));
  const strangers = untrusted.map(({ client, path }) => {
    return `${style.bold(client.title)}  ${path}\n  ${style.yellow("!")} comes with this folder: look at it with --dry-run --trust, take it with --trust`;
  });
  const end = [
    summary(result),
    ...(unset.length > 0 ? [`Set in the environment before the next start: ${unset.join(", ")}`] : []),
    ...(isWritten && inForce !== file ? [`In this folder ${inForce} goes before it; add to that with --config`] : []),
  ];
  return [...blocks, ...strangers, end.join("\n")].join("\n\n");
}

function renderSource({ style }: CommandContext, { source, taken, skipped, problem }: PlannedFile): string {
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

function summary({ file, isWritten, isDry, plan, untrusted }: ImportReport): string {
  const count = Object.keys(plan.servers).length;
  const servers = count === 1 ? "1 server" : `${count} servers`;
  if (isWritten) return `${servers} added to ${file}. See them with: clawport servers`;
  if (isDry && count > 0) return `${servers} would be added to ${file}. Nothing was written.`;
  if (plan.sources.length + untrusted.length > 0) return "Nothing to add.";
  return "No other program's servers were found on this machine. Name a file with: clawport import --from <file>";
}

function targetOf({ url, command = "", args = [] }: ImportedServer): string {
  return url === undefined ? redactCommandLine([command, ...args]) : redactText(url);
}
