import type { Examined, FindingLevel } from "../../hub/doctor/finding.ts";
import { defineCommand } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { pasteableCommand } from "../output/pasteable.ts";
import type { Colour } from "../output/style.ts";

export const command = defineCommand({
  name: "doctor",
  summary: "check the set-up; every problem comes with the command that fixes it",
  examples: ["clawport doctor", "clawport doctor --json | jq '.findings[] | select(.level == \"fail\")'"],
  async run(context) {
    const { examineHost } = await import("../../hub/control/examine-host.ts");
    const findings = await examineHost(context, { nodeVersion: process.versions.node, uid: process.getuid?.() });
    const failed = findings.filter(({ level }) => level === "fail").length;
    const warned = findings.filter(({ level }) => level === "warn").length;
    const shown = context.globals.quiet
      ? findings.filter(({ level }) => level === "fail" || level === "warn")
      : context.globals.verbose
        ? findings
        : inBrief(findings);
    const text = [...shown.map((finding) => findingText(finding, context)), summaryText(failed, warned)].join("\n");
    context.answer({ ok: failed === 0, findings }, text);
    return failed === 0 ? 0 : 1;
  },
});

/** Most users don't run `clawport node`, so what its tools lack is one line. */
function inBrief(findings: readonly Examined[]): readonly Examined[] {
  const isDetail = ({ check, level }: Examined): boolean => check === "this computer" && level === "info";
  const [detail] = findings.filter(isDetail);
  const rest = findings.filter((finding) => !isDetail(finding));
  if (detail === undefined) return rest;
  const what = "the other tools of this computer lack something";
  return [...rest, { ...detail, what, fix: "clawport doctor -v" }];
}

function summaryText(failed: number, warned: number): string {
  if (failed > 0) return `${failed} ${failed === 1 ? "problem" : "problems"} found.`;
  if (warned > 0) return `No problems, but ${warned === 1 ? "1 warning" : `${warned} warnings`}.`;
  return "No problems found.";
}

const levelMarks: Readonly<Record<FindingLevel, readonly [mark: string, colour: Colour]>> = {
  ok: ["✓", "green"],
  info: ["·", "dim"],
  warn: ["!", "yellow"],
  fail: ["✗", "red"],
};

function findingText({ level, what, fix }: Examined, context: CommandContext): string {
  const { style } = context;
  const [mark, colour] = levelMarks[level];
  const line = `${style[colour](mark)} ${what}`;
  return fix === undefined ? line : `${line}\n    ${style.dim("→")} ${pasteableCommand(fix, context)}`;
}
