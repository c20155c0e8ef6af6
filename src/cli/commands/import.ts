import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { Fault, isFault } from "../../core/fault.ts";
import type { PlannedMoves } from "../../hub/clients/move-entries.ts";
import { nearestName } from "../../core/text/nearest-name.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { importableClients } from "../../sources/servers/import/client-table.ts";
import {
  type FoundClientFile,
  clientFileOf,
  findClientFiles,
  type HostEnvironment,
} from "../../sources/servers/import/find-client-files.ts";
import type { ImportPlan } from "../../sources/servers/import/plan-import.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";
import { confirmEdit, editOptions } from "../output/client-edit.ts";
import type { MovedFile } from "../output/report-import.ts";
import { configName } from "../../core/config/find-config.ts";

export const command = defineCommand({
  name: "import",
  summary: "import the MCP servers that other programs are configured with",
  options: {
    from: {
      type: "string",
      value: "<program|file>",
      multiple: true,
      completes: "file",
      description:
        "only from this program (claude-code, claude-desktop, cursor, vscode, codex, windsurf, gemini, openclaw, mcporter) or file",
    },
    sandbox: { type: "boolean", description: "find the sandbox that each command works in, and import it with that" },
    move: { type: "boolean", description: "also remove them from the programs' own files, after showing the changes" },
    ...editOptions,
    "dry-run": { type: "boolean", description: "show what would be imported, and write nothing" },
    trust: { type: "boolean", description: "also import the servers that come with this folder" },
  },
  examples: ["clawport import --dry-run", "clawport import --from cursor --move", "clawport import --from ./mcp.json"],
  async run(context) {
    const { findConfigOf } = await import("../../hub/state/active-config.ts");
    const { requireOwnConfig } = await import("../../hub/state/load-named-config.ts");
    const { reportImport } = await import("../output/report-import.ts");
    const { planImport } = await import("../../sources/servers/import/plan-import.ts");
    const { addServers, readRawConfig } = await import("../../core/config/edit-config.ts");
    const { options, env } = context;
    const isDry = options["dry-run"] === true;
    const file = await targetFile(context, isDry);
    const present = await readRawConfig(file);
    await requireOwnConfig(file, present.text);
    const { sources, untrusted } = chooseSources(context, options.from, options.trust === true);
    const plan = await planImport(sources, { servers: present.servers, hubPort: hubPortOf(present.value) });
    const moves = options.move === true ? await confirmMoves(context, plan) : undefined;
    const isWritten = !isDry && Object.keys(plan.servers).length > 0;
    if (isWritten) await addServers(file, await completeServers(context, file, plan));
    const moved = moves && { ...moves, files: isDry ? [] : await applyMoves(context, moves) };
    const unset = plan.needs.filter((name) => env[name] === undefined);
    const activeFile = findConfigOf(context)?.path;
    reportImport(context, { file, isWritten, isDry, plan, unset, untrusted, activeFile, moved });
  },
});

/** With the sandboxes and variables that their commands need. One that works in no sandbox is imported without. */
async function completeServers(
  context: CommandContext<typeof editOptions & { sandbox: { type: "boolean"; description: string } }>,
  path: string,
  { servers }: ImportPlan,
): Promise<Readonly<Record<string, unknown>>> {
  const { completeCommand } = await import("../output/complete-command.ts");
  const { openHomeOf } = await import("../../hub/state/open-home.ts");
  const { sandbox = false, yes = false } = context.options;
  const place = { path, location: context.globals.config ? "flag" : "state-folder" } as const;
  const home = await openHomeOf(context);
  const completed: Record<string, unknown> = {};
  for (const [name, server] of Object.entries(servers)) {
    const settings = { ...server };
    completed[name] = await completeCommand(context, home, { place, name, settings }, { sandbox, yes }).catch(
      (error: unknown) => {
        if (!isFault(error, "unavailable")) throw error;
        context.say(`${error.message} It is imported without one.`);
        return settings;
      },
    );
  }
  return completed;
}

/** Asked before anything is written. */
async function confirmMoves(context: CommandContext<typeof editOptions>, plan: ImportPlan): Promise<PlannedMoves> {
  const { planMoves } = await import("../../hub/clients/move-entries.ts");
  const moves = await planMoves(plan.files, context);
  for (const edit of moves.edits)
    await confirmEdit(context, edit, `Remove these servers from ${edit.client.title}, once Clawport has them?`);
  return moves;
}

async function applyMoves(context: CommandContext, { edits }: PlannedMoves): Promise<readonly MovedFile[]> {
  const { applyMove } = await import("../../hub/clients/install-client.ts");
  const { findEntry } = await import("../../hub/clients/edit-block.ts");
  const { openHomeOf } = await import("../../hub/state/open-home.ts");
  const options = { home: await openHomeOf(context), log: context.log, now: new Date() };
  const moved: MovedFile[] = [];
  for (const edit of edits) {
    const { client, file, text } = edit;
    const needs = findEntry(text, client) === undefined ? client.id : undefined;
    moved.push({ path: file.path, backup: await applyMove(edit, options), needs });
  }
  return moved;
}

async function targetFile(context: CommandContext, isDry: boolean): Promise<string> {
  const { homePath, openHomeOf } = await import("../../hub/state/open-home.ts");
  if (context.globals.config) return resolve(context.cwd, context.globals.config);
  return isDry ? join(homePath(context), configName) : (await openHomeOf(context)).file(configName);
}

/** The port of our own hub, so that the hub is not imported as a server of itself. */
function hubPortOf(value: unknown): number {
  const hub = typeof value === "object" && value !== null && "hub" in value ? value.hub : undefined;
  const port = typeof hub === "object" && hub !== null && "port" in hub ? Number(hub.port) : Number.NaN;
  return Number.isInteger(port) && port > 0 ? port : 8765;
}

interface SourceChoice {
  readonly sources: readonly FoundClientFile[];
  readonly untrusted: readonly FoundClientFile[];
}

/**
 * The files to read. A file that comes with the folder may be a stranger's, and the servers imported from it would be
 * started from then on. So it is left out until the user trusts or names it.
 */
function chooseSources(machine: HostEnvironment, from: readonly string[] | undefined, trust: boolean): SourceChoice {
  const found = findClientFiles(machine);
  const named = (from ?? []).filter((word) => !isProgram(word)).map((word) => sourceOfFile(word, machine));
  const programs = (from ?? []).filter(isProgram);
  const candidates = from === undefined ? found : programs.flatMap((id) => sourcesOfProgram(id, found));
  const isTrusted = ({ scope }: FoundClientFile): boolean => trust || scope === "user";
  return {
    sources: [...named, ...candidates.filter(isTrusted)],
    untrusted: candidates.filter((source) => !isTrusted(source)),
  };
}

function isProgram(word: string): boolean {
  return importableClients.some(({ id }) => id === word);
}

function sourcesOfProgram(id: string, found: readonly FoundClientFile[]): readonly FoundClientFile[] {
  const files = found.filter(({ client }) => client.id === id);
  if (files.length > 0) return files;
  const title = importableClients.find((client) => client.id === id)?.title ?? id;
  throw new Fault("not-found", `no configuration of ${title} was found; name its file with --from <file>`);
}

function sourceOfFile(word: string, machine: HostEnvironment): FoundClientFile {
  const path = resolve(machine.cwd, word);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return clientFileOf(path, machine);
  const ids = importableClients.map(({ id }) => id);
  const near = nearestName(word, ids);
  const hint = near === undefined ? `the programs are ${ids.join(", ")}` : `did you mean "${near}"?`;
  throw new Fault("usage", `--from ${quoted(word)} is neither a known program nor a file; ${hint}`);
}
