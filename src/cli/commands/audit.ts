import type { AuditLine } from "../../catalog/audit/audit-line.ts";
import { sanitizeLine } from "../../core/sanitize-text.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";

/** Less than the reader waits between two looks at the file: a pause this long means that it has caught up. */
const caughtUpAfterMs = 100;

export const command = defineCommand({
  name: "audit",
  summary: "show which calls were made, and what became of them",
  options: {
    follow: { type: "boolean", short: "f", description: "go on and show each new call" },
    tool: { type: "string", value: "<glob>", description: "only tools whose name fits, such as files__*" },
    lines: { type: "number", short: "n", value: "<n>", description: "how many of the latest calls; 20 unless given" },
  },
  examples: ["clawport audit -n 50", "clawport audit --follow --tool 'files__*'", "clawport audit --json | jq .tool"],
  async run(context) {
    const { readAudit } = await import("../../catalog/audit/read-audit.ts");
    const { compileGlobs } = await import("../../catalog/glob.ts");
    const { openHomeOf } = await import("../open-home.ts");
    const { hubFiles } = await import("../../hub/hub-files.ts");
    const { follow = false, tool, lines: count = 20 } = context.options;
    const fits = compileGlobs([tool ?? "*"]);
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
      if (!live && follow && !(await settlesSoon(step))) showLatest();
      const { done, value } = await step;
      if (done) break;
      if (!fits(value.tool)) continue;
      if (live) print(value);
      else if (latest.push(value) > count) latest.shift();
    }
    if (!live) showLatest();
    if (!follow && latest.length === 0) context.say(tool === undefined ? "no calls yet" : `no calls of ${tool} yet`);
  },
});

async function settlesSoon(step: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), caughtUpAfterMs);
  try {
    return await Promise.race([step.then(() => true), promise]);
  } finally {
    clearTimeout(timer);
  }
}

function lineText(line: AuditLine, { style }: CommandContext): string {
  const good = line.outcome === "ok";
  const paint = good ? style.green : line.verdict === "deny" ? style.yellow : style.red;
  // Apps name their tools as they like, so that two of them may have one of the same name.
  const tool = line.source.startsWith("app:") ? `${line.source} ${line.tool}` : line.tool;
  const caller = [line.door, line.token, line.client ?? line.sender ?? line.agent].filter(Boolean).join("/");
  return [
    style.dim(new Date(line.time).toLocaleString("sv")),
    paint(sanitizeLine(line.outcome).padEnd(12)),
    `${Math.round(line.ms)} ms`.padStart(9),
    sanitizeLine(tool),
    style.dim(sanitizeLine(line.verdict === "allow" ? caller : `${caller}: ${line.why}`)),
  ].join("  ");
}
