import type { ExecPolicy, ExecSecurity } from "./approvals-file.ts";
import { type MatchedCommand, matchAllowlist, type MatchSurroundings } from "./match-allowlist.ts";

export interface ExecFacts {
  readonly policy: ExecPolicy;
  readonly command: MatchedCommand;
  readonly around: MatchSurroundings;
  /** Whether the caller sets variables: they can change what any program does, so the allowlist does not cover them. */
  readonly setsVariables: boolean;
  /** Whether a person has refused this very command for good. */
  readonly isRefused: boolean;
}

export type ExecVerdict =
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
export function judgeExec({ policy, command, around, setsVariables, isRefused }: ExecFacts): ExecVerdict {
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
