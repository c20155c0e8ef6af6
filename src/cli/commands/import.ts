import { defineCommand } from "../command.ts";
import type { CommandContext } from "../command-context.ts";

export const command = defineCommand({
  name: "import",
  summary: "take over the MCP servers that other programs know",
  options: {
    from: {
      type: "string",
      value: "<program|file>",
      multiple: true,
      completes: "file",
      description:
        "only from this program (claude-code, claude-desktop, cursor, vscode, codex, windsurf, gemini, openclaw, mcporter) or file",
    },
    "dry-run": { type: "boolean", description: "show what would be taken, and write nothing" },
    trust: { type: "boolean", description: "also take the servers that come with this folder" },
  },
  examples: ["clawport import --dry-run", "clawport import --from cursor", "clawport import --from ./mcp.json"],
  async run(context) {
    const { chooseSources } = await import("../import/choose-sources.ts");
    const { findConfigOf } = await import("../config-of.ts");
    const { reportImport } = await import("../import/report-import.ts");
    const { planImport } = await import("../../sources/servers/import/plan-import.ts");
    const { addServers, readRawConfig } = await import("../../core/config/add-servers.ts");
    const { options, env } = context;
    const isDry = options["dry-run"] === true;
    const file = await targetFile(context, isDry);
    const present = await readRawConfig(file);
    const { sources, untrusted } = chooseSources(context, options.from, options.trust === true);
    const plan = await planImport(sources, { servers: present.servers, hubPort: hubPortOf(present.value) });
    const isWritten = !isDry && Object.keys(plan.servers).length > 0;
    if (isWritten) await addServers(file, plan.servers);
    const unset = plan.needs.filter((name) => env[name] === undefined);
    reportImport(context, { file, isWritten, isDry, plan, unset, untrusted, inForce: findConfigOf(context)?.path });
  },
});

async function targetFile(context: CommandContext, isDry: boolean): Promise<string> {
  const { configName } = await import("../../core/config/find-config.ts");
  const { homePath, openHomeOf } = await import("../open-home.ts");
  const { join, resolve } = await import("node:path");
  if (context.globals.config) return resolve(context.cwd, context.globals.config);
  return isDry ? join(homePath(context), configName) : (await openHomeOf(context)).file(configName);
}

/** Where our own hub listens, so that no server is taken that is it. */
function hubPortOf(value: unknown): number {
  const hub = typeof value === "object" && value !== null && "hub" in value ? value.hub : undefined;
  const port = typeof hub === "object" && hub !== null && "port" in hub ? Number(hub.port) : Number.NaN;
  return Number.isInteger(port) && port > 0 ? port : 8765;
}
