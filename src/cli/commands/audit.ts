import type { AuditLine } from "../../catalog/audit/audit-line.ts";
import { sanitizeLine } from "../../core/sanitize-text.ts";
import { settledWithin } from "../../core/wait.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";
import { localTime } from "../output/style.ts";

/** Shorter than the reader's polling interval: a pause this long means that it has reached the end of the file. */
const caughtUpAfterMs = 100;

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
    const { readAudit } = await import("../../catalog/audit/read-audit.ts");
    const { compileGlobs } = await import("../../catalog/glob.ts");
    const { openHomeOf } = await import("../../hub/open-home.ts");
    const { hubFiles } = await import("../../hub/hub-files.ts");
    const { follow = false, tool, lines: count = 20 } = context.options;
    const matches = compileGlobs([tool ?? "*"]);
    const signal = follow ? context.stopSignal() : undefined;
    const reader = readAudit({ file: hubFiles.audit(await openHomeOf(context)), follow, signal });
    const print = (line: AuditLine): void => context.answer(line, lineText(line, context));

    const latest: AuditLine[] = [];
    let live = false;
    const showLatest = (): void => {
      latest.forEach(print);
      live = true;
    };
    for (;;) {
      const step = reader.next();
      if (!live && follow && !(await settledWithin(step, caughtUpAfterMs))) showLatest();
      const { done, value } = await step;
      if (done) break;
      if (!matches(value.tool)) continue;
      if (live) print(value);
      else if (latest.push(value) > count) latest.shift();
    }
    if (!live) showLatest();
    if (!follow && latest.length === 0) context.say(tool === undefined ? "No calls yet." : `No calls of ${tool} yet.`);
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
