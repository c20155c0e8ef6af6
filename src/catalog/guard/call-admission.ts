import type { Policy } from "../../core/config/policy-config.ts";
import type { NamedSecret } from "../../core/text/shown-text.ts";
import type { Advice, CallVerdict } from "../advice.ts";
import { endedUnanswered } from "../audit/call-words.ts";
import type { CallContext } from "../call-context.ts";
import type { CatalogPrompt } from "../source.ts";
import { type ApprovalRequestsOptions, createApprovalRequests, givenAnswer } from "./approval-requests.ts";
import { adviceOnArguments } from "./argument-mismatch.ts";
import { type Finding, isAtLeast } from "../screen/finding.ts";
import { describeCall } from "./describe-call.ts";
import { type CallFacts, judgeCall, type Judgement } from "./judge-call.ts";
import type { Operation } from "./reach-source.ts";
import { hashParts, promptParts, toolParts } from "./pin-definition.ts";
import type { CatalogItem, Pins } from "./pins.ts";
import { adviceOnFindings, screenCall } from "./findings/screening.ts";

type CallAdmission = {
  readonly verdict: CallVerdict;
  readonly why: string;
} & ({ readonly pass: true } | { readonly pass: false; readonly text: string });

interface Decision {
  verdict: CallVerdict;
  why: string;
}

export interface CallAdmissionOptions extends ApprovalRequestsOptions {
  readonly pins: Pins;
  /** The values that the configuration took from variables: people see them by name. */
  readonly secrets?: (() => readonly NamedSecret[]) | undefined;
}

/** What the guard would say to a call. */
export type CallPreview =
  | { readonly verdict: "allow" | "deny" }
  | {
      readonly verdict: "ask";
      /** The whole question, safe to show as it is. */
      readonly text: string;
      /** An answer is for this, see `GivenApproval`. */
      readonly hash: string;
      /** Whether an answer can be remembered. */
      readonly lasting: boolean;
      /** Lists the call among those that were refused, so that it can be approved for the next time. Gives its id. */
      list(): Promise<string>;
    };

export interface CallJudge {
  /**
   * Decides whether a call may run, with at most one question. Returns no promise if the call is simply allowed. `decision`
   * says that a person is being asked, for as long as that lasts: the call may end meanwhile.
   */
  admit(
    policy: Policy,
    operation: Operation,
    context: CallContext,
    findings: readonly Finding[],
    decision: Decision,
  ): CallAdmission | Promise<CallAdmission>;
  /** What `admit` would do, without asking anyone. */
  preview(policy: Policy, operation: Operation, context: Pick<CallContext, "caller">): Promise<CallPreview>;
}

export function createCallAdmission(options: CallAdmissionOptions): CallJudge {
  const { approvals, pins } = options;
  const requests = createApprovalRequests(options);

  return {
    admit(policy, operation, context, findings, decision) {
      const item = itemOf(operation);
      const isSettled =
        !isSerious(findings) && operation.source.adviceOn === undefined && (item === undefined || pins.isSettled(item));
      if (isSettled && !judgesArguments(policy)) {
        const { verdict, why } = judge(policy, operation, context, {});
        if (verdict === "allow") return pass(verdict, why);
      }
      return decide(policy, operation, context, findings, decision);
    },
    async preview(policy, operation, context) {
      const found = await screenCall(policy, operation, context.caller);
      const advice = await gatherAdvice(policy, operation, context, pins, found);
      const remembered = operation.tool && (await requests.recall(operation.tool, context.caller));
      const judgement = judge(policy, operation, context, { advice, remembered });
      if (judgement.verdict !== "ask") return { verdict: judgement.verdict };
      const call = describeCall(operation, context.caller, judgement, options.secrets?.());
      if (await approvals.isApproved(call)) return { verdict: "allow" };
      const list = async (): Promise<string> => (await approvals.addWaiting(call)).id;
      return { verdict: "ask", text: call.question, hash: call.hash, lasting: call.lasting, list };
    },
  };

  function judge(
    policy: Policy,
    operation: Operation,
    context: Pick<CallContext, "caller">,
    more: Partial<CallFacts>,
  ): Judgement {
    const { source, tool } = operation;
    return judgeCall({
      policy,
      caller: context.caller,
      source: { id: source.id, kind: source.kind, trusted: source.trusted === true },
      tool: tool && {
        name: tool.name,
        shortName: tool.shortName,
        aliases: tool.aliases,
        sharesPrefix: tool.sharesPrefix,
        annotations: tool.tool.annotations,
      },
      reach: anyoneReachable,
      ...more,
    });
  }

  async function decide(
    policy: Policy,
    operation: Operation,
    context: CallContext,
    findings: readonly Finding[],
    decision: Decision,
  ): Promise<CallAdmission> {
    for (;;) {
      const advice = await gatherAdvice(policy, operation, context, pins, findings);
      const reach = { person: requests.canAskPerson(context), client: true };
      let judgement = judge(policy, operation, context, { advice, reach });
      if (judgement.policy.verdict === "ask" && operation.tool !== undefined) {
        const remembered = await requests.recall(operation.tool, context.caller);
        judgement = judge(policy, operation, context, { advice, reach, remembered });
      }
      const { verdict, why, unanswerable } = judgement;
      if (verdict === "allow") return pass(verdict, why);
      if (verdict === "deny" && !unanswerable) return refuse(operation, judgement, { verdict, why });
      const call = describeCall(operation, context.caller, judgement, options.secrets?.());
      const given = await approvals.takeApproval(call);
      if (given !== undefined) return approve(judgement, "ask", `${why}: once by ${given}`);
      if (unanswerable && givenAnswer(context, call) === undefined) {
        if (judgement.runsUnanswered) return pass("ask", `${why}: no one can be asked`);
        await requests.listRefused(call, judgement);
        return refuseUnapproved(operation, judgement, "no one is available to approve it");
      }
      decision.verdict = "ask";
      decision.why = `${why}: ${endedUnanswered}`;
      const reply = await requests.make(operation, context, judgement, call);
      if (reply === "again") continue;
      if (reply.choice === undefined) {
        if (judgement.runsUnanswered) return pass("ask", `${why}: no one answered`);
        return refuseUnapproved(operation, judgement, "no one answered");
      }
      const answered = `${why}: ${reply.choice} by ${reply.by}`;
      if (reply.choice !== "never" && reply.choice !== "no")
        return (await hasChanged(operation, judgement, pins))
          ? refuseChanged(operation, answered)
          : approve(judgement, "ask", answered);
      return refuse(operation, judgement, { verdict, why: answered, noApproval: "the answer was no" });
    }
  }
}

/** A decision without a question does not depend on who could be asked. */
const anyoneReachable = { person: true, client: true };

const pass = (verdict: CallVerdict, why: string): CallAdmission => ({ pass: true, verdict, why });

function approve({ reasons }: Judgement, verdict: CallVerdict, why: string): CallAdmission {
  for (const reason of reasons) reason.approved?.();
  return pass(verdict, why);
}

/** What has a pinned definition. */
const itemOf = ({ tool, prompt }: Operation): CatalogItem | undefined => tool ?? prompt;

const isSerious = (findings: readonly Finding[]): boolean =>
  findings.some(({ severity }) => isAtLeast(severity, "ask"));

const judgesArguments = ({ preset, folder }: Policy): boolean => preset === "strict" || folder?.preset === "strict";

async function gatherAdvice(
  policy: Policy,
  operation: Operation,
  { caller }: Pick<CallContext, "caller">,
  pins: Pins,
  findings: readonly Finding[],
): Promise<Advice[]> {
  const { source, tool, args } = operation;
  const item = itemOf(operation);
  const advice = await Promise.all([
    item && pins.check(item),
    tool && source.adviceOn?.(tool.tool.name, args, caller),
    tool && judgesArguments(policy) ? adviceOnArguments(tool, args) : undefined,
  ]);
  return [...advice, adviceOnFindings(findings, operation)].filter((one) => one !== undefined);
}

/** A question can be open for minutes, and its source may list another definition by then: that one was not approved. */
async function hasChanged(operation: Operation, { reasons }: Judgement, pins: Pins): Promise<boolean> {
  const { source, tool, prompt } = operation;
  // What was asked about the definition itself was about the new one, which the answer may have accepted already.
  if (reasons.some(({ by }) => by === "pin")) return false;
  if (prompt !== undefined) return hasPromptChanged(source, prompt, pins);
  if (tool === undefined) return false;
  const now = source.tools().find(({ name }) => name === tool.tool.name);
  if (now === tool.tool) return false;
  if (now === undefined || hashParts(toolParts(now)) !== hashParts(toolParts(tool.tool))) return true;
  return (await pins.check({ ...tool, tool: now })) !== undefined;
}

async function hasPromptChanged(source: Operation["source"], asked: CatalogPrompt, pins: Pins): Promise<boolean> {
  const now = source.prompts?.().find(({ name }) => name === asked.prompt.name);
  if (now === asked.prompt) return false;
  if (now === undefined || hashParts(promptParts(now)) !== hashParts(promptParts(asked.prompt))) return true;
  return (await pins.check({ ...asked, prompt: now })) !== undefined;
}

function refuseChanged({ what, prompt }: Operation, answered: string): CallAdmission {
  const list = prompt === undefined ? "tools" : "prompts";
  const text = `${what} was not run: its definition has changed since the question was asked. List the ${list} again.`;
  return { pass: false, verdict: "deny", why: `${answered}, but its definition has changed`, text };
}

interface CallRefusal {
  readonly verdict: CallVerdict;
  readonly why: string;
  readonly noApproval?: NoApprovalReason;
}

type NoApprovalReason = "no one is available to approve it" | "no one answered" | "the answer was no";

function refuseUnapproved(operation: Operation, judgement: Judgement, noApproval: NoApprovalReason): CallAdmission {
  return refuse(operation, judgement, { verdict: "ask", why: `${judgement.why}: ${noApproval}`, noApproval });
}

/** Says why, but not how to allow it: the reader is a model, and may do whatever it reads. */
function refuse({ what }: Operation, { reasons }: Judgement, { verdict, why, noApproval }: CallRefusal): CallAdmission {
  const because = reasons.map(({ reason }) => reason).join(", and ");
  const text =
    noApproval === undefined
      ? `${what} was denied: ${because}.`
      : `${what} needs approval, but ${noApproval}: ${because}.`;
  return { pass: false, verdict, why, text };
}
