import { hash } from "node:crypto";
import type { Advice } from "../../../catalog/advice.ts";
import type { Caller } from "../../../catalog/caller.ts";
import { redactCommandLine } from "../../../core/secrets/redact-command-line.ts";
import { shownText, shownWords } from "../../../core/text/shown-text.ts";
import { CapabilityFault, type CapabilityArgs } from "../capability.ts";
import type { Consent } from "../consent.ts";
import type { Machine } from "../machine.ts";
import type { ExecPolicy, ExecSecurity } from "./approvals-file.ts";
import type { ExecApprovals } from "./approvals-store.ts";
import { needsApproval } from "./command-variables.ts";
import { findDifference, resolvePlan, type ExecPlan } from "./exec-plan.ts";
import {
  hashCommandArguments,
  runsOthers,
  matchAllowlist,
  type MatchedCommand,
  type MatchSurroundings,
} from "./match-allowlist.ts";

export interface ExecJudgeOptions extends Pick<Machine, "env" | "platform" | "homedir"> {
  readonly approvals: ExecApprovals;
  readonly consent: Pick<Consent, "list" | "decide">;
  /** Whether an approval that the gateway reports counts as the answer to a question. */
  readonly gatewayApprovals: boolean;
}

export interface JudgedCommand {
  readonly plan: ExecPlan;
  readonly policy: ExecPolicy;
  readonly verdict: ExecVerdict;
}

/** Decides about commands by the exec approvals, and binds each approval to the very files it was given for. */
export interface ExecJudge {
  judge(args: CapabilityArgs, caller: Caller): Promise<JudgedCommand>;
  /** For the guard. Undefined if the command may run. */
  adviceOn(args: CapabilityArgs, caller: Caller): Promise<Advice | undefined>;
  /** Judges again, right before the command starts. Faults if anything has changed since the guard let it pass. */
  confirm(args: CapabilityArgs, caller: Caller): Promise<ExecPlan>;
}

export function createExecJudge(options: ExecJudgeOptions): ExecJudge {
  const { approvals, consent, platform, homedir } = options;
  /** What the guard was told about a call, by the arguments of that very call. */
  const judged = new WeakMap<CapabilityArgs, JudgedCommand>();

  async function judge(args: CapabilityArgs, caller: Caller): Promise<JudgedCommand> {
    const plan = await resolvePlan(args, options);
    const policy = await approvals.policyFor(agentOf(args, caller));
    const isRefused = (await consent.list()).some(({ capability }) => capability === refusalOf(plan));
    const command = matchedCommand(plan);
    const around = { homedir, platform };
    const verdict = judgeExec({ policy, command, around, setsVariables: needsApproval(plan.env), isRefused });
    return { plan, policy, verdict };
  }

  return {
    judge,
    async adviceOn(args, caller) {
      const found = await judge(args, caller);
      judged.set(args, found);
      const { plan, policy, verdict } = found;
      const by = "exec approval";
      if (verdict.verdict === "allow") return undefined;
      if (verdict.verdict === "deny") return { by, verdict: "deny", reason: verdict.reason };
      if (options.gatewayApprovals && caller.door === "node" && args["approved"] === true && policy.ask !== "always")
        return undefined;
      return {
        by,
        verdict: "ask",
        ownerOnly: true,
        reason: verdict.reason,
        detail: describePlan(plan),
        ...(verdict.runsUnanswered && { unanswered: "allow" }),
        ...(canLast(plan) && {
          async remember(choice) {
            if (choice === "never") return consent.decide({ capability: refusalOf(plan), choice });
            const argPattern = hashCommandArguments(matchedCommand(plan), platform);
            const text = redactCommandLine(plan.argv);
            await approvals.allow(agentOf(args, caller), {
              pattern: plan.executable.path,
              argPattern,
              source: "allow-always",
              commandText: text,
            });
          },
        }),
      };
    },
    async confirm(args, caller) {
      const before = judged.get(args);
      if (before === undefined) throw denied("it was not approved");
      const now = await judge(args, caller);
      const difference = findDifference(before.plan, now.plan);
      if (difference !== undefined) throw denied(`${difference} has changed since it was approved`);
      if (now.verdict.verdict === "deny") throw denied(now.verdict.reason);
      if (now.verdict.verdict === "ask" && before.verdict.verdict === "allow") throw denied(now.verdict.reason);
      return now.plan;
    },
  };
}

function denied(reason: string): CapabilityFault {
  return new CapabilityFault("SYSTEM_RUN_DENIED", `The command was not run: ${reason}.`, { code: "denied" });
}

/** Only the gateway says for which agent it calls; any other caller could name one that may do more. */
function agentOf(args: CapabilityArgs, { door }: Caller): string {
  const given = args["agentId"];
  return door === "node" && typeof given === "string" && given !== "" && given !== "*" ? given : "main";
}

function matchedCommand({ executable, argv, cwd }: ExecPlan) {
  return { executable: executable.path, args: argv.slice(1), cwd: cwd.path };
}

/** The name under which a lasting no is kept. */
function refusalOf(plan: ExecPlan): string {
  return `system.run ${hash("sha256", JSON.stringify(matchedCommand(plan)))}`;
}

/** What an interpreter is given on its command line, or a file it runs, can mean something else the next time. */
function canLast({ executable, env }: ExecPlan): boolean {
  return !runsOthers(executable.path) && !needsApproval(env);
}

/** What a person must see before answering: all of what runs. */
function describePlan({ argv, executable, cwd, scripts, env }: ExecPlan): string {
  return [
    `Command: ${shownWords(argv)}`,
    `Program: ${shownText(executable.path)} (${shortStamp(executable.stamp)})`,
    `Folder: ${shownText(cwd.path)}`,
    ...scripts.map(({ path, stamp }) => `Runs: ${shownText(path)} (${stamp.slice(0, 12)})`),
    ...Object.entries(env).map(([name, value]) => `Variable: ${shownText(name)}=${shownWords([value])}`),
  ].join("\n");
}

/** An approval that comes later is for the same file only. */
const shortStamp = (stamp: string): string => hash("sha256", stamp).slice(0, 12);

interface ExecFacts {
  readonly policy: ExecPolicy;
  readonly command: MatchedCommand;
  readonly around: MatchSurroundings;
  /** Whether the caller sets variables: they can change what any program does, so the allowlist does not cover them. */
  readonly setsVariables: boolean;
  /** Whether a person has refused this very command for good. */
  readonly isRefused: boolean;
}

type ExecVerdict =
  | { readonly verdict: "allow" }
  | {
      readonly verdict: "deny";
      readonly reason: string;
      readonly code: "security=deny" | "user-denied" | "allowlist-miss";
    }
  | {
      readonly verdict: "ask";
      readonly reason: string;
      /** Whether the command may run if no one answers. */
      readonly runsUnanswered: boolean;
    };

/** The order of OpenClaw: a denial first, then the question, then the allowlist. */
function judgeExec({ policy, command, around, setsVariables, isRefused }: ExecFacts): ExecVerdict {
  const { security, ask, askFallback, allowlist } = policy;
  if (security === "deny")
    return { verdict: "deny", code: "security=deny", reason: "the exec approvals of this computer allow no commands" };
  if (isRefused) return { verdict: "deny", code: "user-denied", reason: "the user does not allow this command" };
  const isListed = !setsVariables && matchAllowlist(allowlist, command, around) !== undefined;
  const isCovered = security === "full" || isListed;
  if (ask === "always" || (ask === "on-miss" && !isCovered)) {
    const reason = isCovered
      ? "the exec approvals of this computer ask about every command"
      : "the command is not in the allowlist of this computer";
    return { verdict: "ask", reason, runsUnanswered: coversUnanswered(askFallback, isListed) };
  }
  if (isCovered) return { verdict: "allow" };
  return { verdict: "deny", code: "allowlist-miss", reason: "the command is not in the allowlist of this computer" };
}

function coversUnanswered(fallback: ExecSecurity, isListed: boolean): boolean {
  return fallback === "full" || (fallback === "allowlist" && isListed);
}
