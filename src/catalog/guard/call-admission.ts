import type { Policy } from "../../core/config/policy-config.ts";
import type { Log } from "../../core/log.ts";
import type { Span } from "../../core/telemetry/telemetry.ts";
import { missingCapability } from "../../mcp/messages/client-facts.ts";
import type { Advice, ApprovalAnswer, CallVerdict } from "../advice.ts";
import type { CallContext } from "../call-context.ts";
import { type Caller, callerScopeName, isActedFor, originOf } from "../caller.ts";
import type { CatalogTool } from "../source.ts";
import { createApprovalQuestions } from "./approval-questions.ts";
import type { Approvals, NewWaitingCall } from "./approvals.ts";
import { type ApprovalNotice, type ApprovalReply, type Askers, createClientAsker } from "./askers.ts";
import { describeCall, questionText } from "./describe-call.ts";
import { type CallFacts, judgeCall, type Judgement } from "./judge-call.ts";
import type { Operation } from "./operation.ts";
import { hashParts, toolParts } from "./pin-definition.ts";
import type { CatalogItem, Pins } from "./pins.ts";

type CallAdmission =
  | { readonly pass: true; readonly verdict: CallVerdict; readonly why: string }
  | { readonly pass: false; readonly verdict: CallVerdict; readonly why: string; readonly text: string };

export interface CallAdmissionOptions {
  readonly approvals: Approvals;
  readonly pins: Pins;
  readonly askers: Askers;
  readonly clock: () => number;
  readonly log: Log;
  readonly askTimeoutMs: number;
}

/** What the guard would say to a call. */
export type CallPreview =
  | { readonly verdict: "allow" | "deny" }
  | {
      readonly verdict: "ask";
      /** The whole question, safe to show as it is. */
      readonly text: string;
      /** Whether an answer can be remembered. */
      readonly lasting: boolean;
    };

export interface CallJudge {
  /** Decides whether a call may run, with at most one question. Returns no promise if the call is simply allowed. */
  admit(policy: Policy, operation: Operation, context: CallContext): CallAdmission | Promise<CallAdmission>;
  /** What `admit` would do, without asking anyone. */
  preview(policy: Policy, operation: Operation, context: Pick<CallContext, "caller">): Promise<CallPreview>;
}

export function createCallAdmission(options: CallAdmissionOptions): CallJudge {
  const { approvals, pins, askers, clock, log, askTimeoutMs } = options;
  const questions = createApprovalQuestions({ approvals, timeoutMs: askTimeoutMs, clock, log });

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
      tool: tool && { name: tool.name, shortName: tool.shortName, annotations: tool.tool.annotations },
      reach: anyoneReachable,
      ...more,
    });
  }

  async function decide(policy: Policy, operation: Operation, context: CallContext): Promise<CallAdmission> {
    for (;;) {
      const advice = await gatherAdvice(operation, context, pins);
      const person = askers.available(context).length > 0 || isAtTerminal(context);
      const reach = { person, client: true };
      let judgement = judge(policy, operation, context, { advice, reach });
      if (judgement.policy.verdict === "ask" && operation.tool !== undefined) {
        const remembered = await recall(operation.tool, context.caller);
        judgement = judge(policy, operation, context, { advice, reach, remembered });
      }
      const { verdict, why, unanswerable } = judgement;
      if (verdict === "allow") return pass(verdict, why);
      if (verdict === "deny" && !unanswerable) return refuse(operation, judgement, { verdict, why });
      const call = describeCall(operation, context.caller, judgement);
      if (await approvals.takeApproval(call)) return approve(judgement, "ask", `${why}: once by command`);
      if (unanswerable && context.approval === undefined) {
        if (judgement.runsUnanswered) return pass("ask", `${why}: no one can be asked`);
        return unanswered(operation, call, judgement);
      }
      const reply = await (context.approval === undefined
        ? ask(operation, context, judgement, call)
        : takeGiven(operation, context.caller, judgement, context.approval));
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

  /** What a person has refused a caller for good, an agent can't do for it either. */
  async function recall(tool: CatalogTool, caller: Caller): Promise<"always" | "never" | undefined> {
    if (isActedFor(caller) && (await approvals.recall(tool, originOf(caller))) === "never") return "never";
    return approvals.recall(tool, caller);
  }

  async function ask(
    operation: Operation,
    context: CallContext,
    judgement: Judgement,
    call: NewWaitingCall,
  ): Promise<ApprovalReply | "again"> {
    const { tool } = operation;
    const { caller, signal } = context;
    const people = askers.available(context);
    const asksClient = judgement.mayAskClient && !isAtTerminal(context);
    const asking = questions.put({
      call,
      question: {
        tool: call.name,
        source: call.source,
        caller: call.client === undefined ? call.caller : { ...call.caller, client: call.client },
        text: questionText(call),
        choices: call.lasting ? ["once", "always", "never"] : ["once"],
        ...(call.grantCommand !== undefined && { grantCommand: call.grantCommand }),
      },
      askers: asksClient ? [...people, createClientAsker(context)] : people,
      signal,
      keepsRefused: isListedWhenRefused(judgement),
      async isCovered() {
        if (tool === undefined || !judgement.reasons.includes(judgement.policy)) return false;
        return (await recall(tool, caller)) !== undefined;
      },
      onAsked(id) {
        if (!people.some(({ kind }) => kind === "terminal")) logWaiting(call, id);
        if (people.length > 0 || isAtTerminal(context)) tellWaiting(context, call, id, people.length === 0);
      },
    });
    const reply = await (context.span === undefined ? asking : traceWait(context.span, asking));
    if (reply !== "again" && (reply.choice === "always" || reply.choice === "never")) {
      await remember(operation, caller, judgement, reply.choice);
    }
    return reply;
  }

  /** The door has asked already. */
  async function takeGiven(
    operation: Operation,
    caller: Caller,
    judgement: Judgement,
    choice: ApprovalAnswer,
  ): Promise<ApprovalReply> {
    if (choice === "always" || choice === "never") await remember(operation, caller, judgement, choice);
    return { choice, by: caller.door };
  }

  async function remember(
    { tool }: Operation,
    caller: Caller,
    { reasons, policy }: Judgement,
    choice: "always" | "never",
  ): Promise<void> {
    const keepers = reasons.map(async (reason) => {
      if (reason === policy && tool) await approvals.remember(tool, caller, choice);
      await reason.remember?.(choice);
    });
    for (const kept of await Promise.allSettled(keepers)) {
      if (kept.status === "rejected")
        log.warn("could not save an answer; it applies to this call only", { error: kept.reason });
    }
  }

  function tellWaiting(context: CallContext, { name }: NewWaitingCall, id: string | undefined, asks: boolean): void {
    const text = `Waiting for approval of ${name}, for up to ${Math.round(askTimeoutMs / 1000)} seconds.`;
    const isKnown = id !== undefined && isAtTerminal(context);
    // Only for a person: a model must not be handed the command that approves its own call.
    const notice: ApprovalNotice | undefined = isKnown
      ? { approval: id, asks, text: `${text} Answer in the hub's terminal, or with \`clawport approve ${id}\`.` }
      : undefined;
    context.tell({ level: "notice", logger: "clawport", data: notice ?? text });
  }

  function logWaiting({ name, caller, grantCommand }: NewWaitingCall, id: string | undefined): void {
    if (id === undefined) return;
    const always = grantCommand === undefined ? "" : `; to allow it from now on, run \`${grantCommand}\``;
    log.info(`${name} needs approval: run \`clawport approve ${id}\`${always}`, { caller: callerScopeName(caller) });
  }

  /** No one can be asked, so the call is refused. A person can approve it for the next time. */
  async function unanswered(operation: Operation, call: NewWaitingCall, judgement: Judgement): Promise<CallAdmission> {
    if (isListedWhenRefused(judgement)) {
      try {
        logWaiting(call, (await approvals.addWaiting(call)).id);
      } catch (error) {
        log.warn("could not save a call that waits for approval", { error });
      }
    }
    return refuseUnapproved(operation, judgement, "no one is available to approve it");
  }

  return {
    admit(policy, operation, context) {
      const item = itemOf(operation);
      if (operation.source.adviceOn === undefined && (item === undefined || pins.isSettled(item))) {
        const { verdict, why } = judge(policy, operation, context, {});
        if (verdict === "allow") return pass(verdict, why);
      }
      return decide(policy, operation, context);
    },
    async preview(policy, operation, context) {
      const advice = await gatherAdvice(operation, context, pins);
      const remembered = operation.tool && (await recall(operation.tool, context.caller));
      const judgement = judge(policy, operation, context, { advice, remembered });
      if (judgement.verdict !== "ask") return { verdict: judgement.verdict };
      const call = describeCall(operation, context.caller, judgement);
      return { verdict: "ask", text: questionText(call), lasting: call.lasting };
    },
  };
}

async function traceWait(guard: Span, asking: Promise<ApprovalReply | "again">): Promise<ApprovalReply | "again"> {
  const span = guard.startChild("wait for approval");
  try {
    const reply = await asking;
    const { choice = "none", by } = reply === "again" ? {} : reply;
    span.setAttribute("clawport.answer", choice);
    if (by !== undefined) span.setAttribute("clawport.answered_by", by);
    return reply;
  } catch (error) {
    span.recordError(error);
    throw error;
  } finally {
    span.end();
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

async function gatherAdvice(
  operation: Operation,
  { caller }: Pick<CallContext, "caller">,
  pins: Pins,
): Promise<Advice[]> {
  const { source, tool, args } = operation;
  const item = itemOf(operation);
  const advice = await Promise.all([item && pins.check(item), tool && source.adviceOn?.(tool.tool.name, args, caller)]);
  return advice.filter((one) => one !== undefined);
}

/** A question can be open for minutes, and its server may list another definition by then: that one was not approved. */
async function hasChanged({ source, tool }: Operation, { reasons }: Judgement, pins: Pins): Promise<boolean> {
  // What was asked about the definition itself was about the new one, which the answer may have accepted already.
  if (tool === undefined || source.kind !== "server" || reasons.some(({ by }) => by === "pin")) return false;
  const now = source.tools().find(({ name }) => name === tool.tool.name);
  if (now === tool.tool) return false;
  if (now === undefined || hashParts(toolParts(now)) !== hashParts(toolParts(tool.tool))) return true;
  return (await pins.check({ ...tool, tool: now })) !== undefined;
}

function refuseChanged({ what }: Operation, answered: string): CallAdmission {
  const text = `${what} was not run: its definition has changed since the question was asked. List the tools again.`;
  return { pass: false, verdict: "deny", why: `${answered}, but its definition has changed`, text };
}

/** A command of the owner, relayed to the hub, whose user can be asked. */
function isAtTerminal({ caller, client }: CallContext): boolean {
  if (caller.door !== "cli" || client === undefined) return false;
  return missingCapability(client, { method: "elicitation/create" }) === undefined;
}

/** A changed definition has a list of its own. */
function isListedWhenRefused({ reasons }: Judgement): boolean {
  return reasons.some(({ by }) => by !== "pin");
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
