import type { AuditLine } from "../../catalog/audit/audit-line.ts";
import { sanitizeLine } from "../../core/peer-text.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";
import { localTime } from "../output/style.ts";

export const command = defineCommand({
  name: "audit",
  summary: "show the calls that were made, and their outcome",
  options: {
    follow: { type: "boolean", short: "f", description: "keep running and show each new call" },
    tool: { type: "string", value: "<glob>", description: "only tools whose name matches, such as files__*" },
    lines: {
      type: "number",
      short: "n",
      value: "<n>",
      description: "how many of the latest calls to show (default: 20)",
    },
  },
  examples: ["clawport audit -n 50", "clawport audit --follow --tool 'files__*'", "clawport audit --json | jq .tool"],
  async run(context) {
    const { createFolderControl } = await import("../../hub/control/open-state-control.ts");
    const { followAudit } = await import("../../hub/control/audit-page.ts");
    const { openHomeOf } = await import("../../hub/open-home.ts");
    const { follow = false, tool, lines: limit = 20 } = context.options;
    // Not through the hub: the file is here, and following it outlives a restart of the hub.
    const { audit } = createFolderControl(context, await openHomeOf(context));
    const print = (line: AuditLine): void => context.answer(line, lineText(line, context));
    const { lines, next } = await audit.read({ tool, limit });
    lines.forEach(print);
    if (follow) for await (const line of followAudit(audit, { tool, after: next }, context.stopSignal())) print(line);
    else if (lines.length === 0) context.say(tool === undefined ? "No calls yet." : `No calls of ${tool} yet.`);
  },
});

function lineText(line: AuditLine, { style }: CommandContext): string {
  const paint = line.outcome === "ok" ? style.green : line.verdict === "deny" ? style.yellow : style.red;
  // Two apps may each have a tool of the same name.
  const tool = line.source.startsWith("app:") ? `${line.source} ${line.tool}` : line.tool;
  const caller = [line.door, line.token, line.client ?? line.sender ?? line.agent].filter(Boolean).join("/");
  return [
    style.dim(localTime(line.time)),
    paint(sanitizeLine(line.outcome).padEnd(12)),
    `${Math.round(line.ms)} ms`.padStart(9),
    sanitizeLine(tool),
    style.dim(sanitizeLine(line.verdict === "allow" ? caller : `${caller}: ${line.why}`)),
  ].join("  ");
}
