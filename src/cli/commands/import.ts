import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { Fault } from "../../core/fault.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { quoted } from "../../core/peer-text.ts";
import { clients } from "../../sources/servers/import/clients.ts";
import {
  type ClientFile,
  clientFileOf,
  findClientFiles,
  type HostEnvironment,
} from "../../sources/servers/import/find-client-files.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";

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
    "dry-run": { type: "boolean", description: "show what would be imported, and write nothing" },
    trust: { type: "boolean", description: "also import the servers that come with this folder" },
  },
  examples: ["clawport import --dry-run", "clawport import --from cursor", "clawport import --from ./mcp.json"],
  async run(context) {
    const { findConfigOf } = await import("../../hub/active-config.ts");
    const { requireOwnConfig } = await import("../../hub/load-named-config.ts");
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
    const isWritten = !isDry && Object.keys(plan.servers).length > 0;
    if (isWritten) await addServers(file, plan.servers);
    const unset = plan.needs.filter((name) => env[name] === undefined);
    reportImport(context, { file, isWritten, isDry, plan, unset, untrusted, activeFile: findConfigOf(context)?.path });
  },
});

async function targetFile(context: CommandContext, isDry: boolean): Promise<string> {
  const { configName } = await import("../../core/config/find-config.ts");
  const { homePath, openHomeOf } = await import("../../hub/open-home.ts");
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
  readonly sources: readonly ClientFile[];
  readonly untrusted: readonly ClientFile[];
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
  const isTrusted = ({ scope }: ClientFile): boolean => trust || scope === "user";
  return {
    sources: [...named, ...candidates.filter(isTrusted)],
    untrusted: candidates.filter((source) => !isTrusted(source)),
  };
}

function isProgram(word: string): boolean {
  return clients.some(({ id }) => id === word);
}

function sourcesOfProgram(id: string, found: readonly ClientFile[]): readonly ClientFile[] {
  const files = found.filter(({ client }) => client.id === id);
  if (files.length > 0) return files;
  const title = clients.find((client) => client.id === id)?.title ?? id;
  throw new Fault("not-found", `no configuration of ${title} was found; name its file with --from <file>`);
}

function sourceOfFile(word: string, machine: HostEnvironment): ClientFile {
  const path = resolve(machine.cwd, word);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return clientFileOf(path, machine);
  const ids = clients.map(({ id }) => id);
  const near = nearestName(word, ids);
  const hint = near === undefined ? `the programs are ${ids.join(", ")}` : `did you mean "${near}"?`;
  throw new Fault("usage", `--from ${quoted(word)} is neither a known program nor a file; ${hint}`);
}
