import type { MachineConfig } from "../../../core/config/machine-config.ts";
import type { Capability } from "../capability.ts";
import type { ExecJudge } from "../exec/exec-judge.ts";
import { type ExecResult, runPlan, type RunPlanOptions } from "../exec/run-plan.ts";

export interface SystemRunOptions extends Pick<RunPlanOptions, "env"> {
  readonly judge: ExecJudge;
  /** Read at each call. */
  readonly settings: Pick<MachineConfig, "run">;
}

const timeout = { type: "integer", minimum: 1, maximum: 600_000 };

/** What both `system.run` and `system.run.prepare` take. */
export const commandInput = {
  command: {
    type: "array",
    items: { type: "string", maxLength: 32_768 },
    minItems: 1,
    maxItems: 1024,
    description:
      'The program and its arguments. No shell reads them; for shell syntax name the shell: ["bash", "-c", "…"].',
  },
  rawCommand: {
    type: "string",
    maxLength: 65_536,
    description: "The same command as one line; it must agree with `command`.",
  },
  cwd: {
    type: "string",
    minLength: 1,
    maxLength: 4096,
    description: "An absolute path; the home folder unless given.",
  },
  env: {
    type: "object",
    additionalProperties: { type: "string" },
    maxProperties: 64,
    description: "Variables to set. Those that decide what code runs are refused; most others need approval.",
  },
  timeoutMs: { ...timeout, default: 30_000 },
  timeout: { ...timeout, description: "The same as `timeoutMs`." },
} as const;

/** What the gateway adds. Approvals among it count only if the user has configured that. */
export const gatewayCommandFields = {
  agentId: { type: ["string", "null"], maxLength: 200 },
  sessionKey: { type: ["string", "null"], maxLength: 500 },
  needsScreenRecording: { type: "boolean" },
} as const;

export function systemRun({ judge, env, settings }: SystemRunOptions): Capability {
  return {
    name: "system.run",
    title: "Run a command",
    description:
      "Runs a command on this computer and returns its output (at most 200,000 bytes). The user decides which commands may run; others are refused or need approval.",
    risk: "exec",
    consent: "always",
    input: { type: "object", properties: commandInput, required: ["command"], additionalProperties: false },
    gatewayFields: {
      ...gatewayCommandFields,
      runId: { type: ["string", "null"], maxLength: 200 },
      approved: { type: ["boolean", "null"] },
      approvalDecision: { type: ["string", "null"], maxLength: 50 },
      approvalSource: { type: ["string", "null"], maxLength: 50 },
      systemRunPlan: { type: ["object", "null"] },
      executionContext: { type: ["object", "null"] },
    },
    output: {
      type: "object",
      properties: {
        exitCode: { type: ["integer", "null"] },
        timedOut: { type: "boolean" },
        success: { type: "boolean" },
        stdout: { type: "string" },
        stderr: { type: "string" },
        error: { type: ["string", "null"] },
        durationMs: { type: "integer", minimum: 0 },
        truncated: { type: "boolean" },
      },
      required: ["exitCode", "timedOut", "success", "stdout", "stderr"],
      additionalProperties: false,
    },
    judge: (args, caller) => judge.adviceOn(args, caller),
    async run(args, context) {
      const plan = await judge.confirm(args, context.caller);
      const result = await runPlan(plan, context, { env, pidNamespace: settings.run.pidNamespace });
      return { payload: { ...result }, text: resultText(result) };
    },
  };
}

function resultText({ exitCode, error, stdout, stderr, durationMs, truncated }: ExecResult): string {
  const outcome = error ?? `exit code ${exitCode}`;
  return [
    `${outcome} (${durationMs} ms)${truncated ? ", output cut at 200,000 bytes" : ""}`,
    ...(stdout === "" ? [] : ["stdout:", stdout]),
    ...(stderr === "" ? [] : ["stderr:", stderr]),
  ].join("\n");
}
