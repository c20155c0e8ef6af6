import type { Capability } from "../capability.ts";
import { commandText } from "../exec/command-text.ts";
import type { ExecJudge } from "../exec/exec-judge.ts";
import { commandInput, gatewayCommandFields } from "./system-run.ts";

const decisions = { allow: "allow", ask: "prompt", deny: "deny" } as const;
const optionalText = { type: ["string", "null"] };

/** What would happen to a command, without running it. */
export function systemRunPrepare(judge: Pick<ExecJudge, "judge">): Capability {
  return {
    name: "system.run.prepare",
    title: "Check a command",
    description: "Says whether `system.run` would run a command, ask about it or refuse it. Nothing runs.",
    risk: "read",
    consent: "always",
    input: { type: "object", properties: commandInput, required: ["command"], additionalProperties: false },
    gatewayFields: gatewayCommandFields,
    output: {
      type: "object",
      properties: {
        cmdText: { type: "string" },
        plan: {
          type: "object",
          properties: {
            argv: { type: "array", items: { type: "string" } },
            cwd: optionalText,
            commandText: { type: "string" },
            rawCommand: optionalText,
            agentId: optionalText,
            sessionKey: optionalText,
          },
          required: ["argv"],
        },
        execPolicy: { type: "object", properties: { security: { type: "string" }, ask: { type: "string" } } },
        decision: { type: "string", enum: ["allow", "prompt", "deny"] },
      },
      required: ["plan"],
    },
    async run(args, { caller }) {
      const { plan, policy, verdict } = await judge.judge(args, caller);
      const text = commandText(plan.argv);
      const given = (name: string): string | null => (typeof args[name] === "string" ? args[name] : null);
      return {
        payload: {
          cmdText: text,
          plan: {
            argv: plan.argv,
            cwd: plan.cwd.path,
            commandText: text,
            rawCommand: given("rawCommand"),
            agentId: given("agentId"),
            sessionKey: given("sessionKey"),
          },
          execPolicy: { security: policy.security, ask: policy.ask },
          decision: decisions[verdict.verdict],
        },
      };
    },
  };
}
