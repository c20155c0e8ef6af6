import { randomUUID } from "node:crypto";
import type { Policy } from "../../core/config/policy-config.ts";
import type { Log } from "../../core/log.ts";
import { visibleText } from "../../core/peer-text.ts";
import type { Advice, CallVerdict, Choice } from "../advice.ts";
import type { CallContext } from "../call-context.ts";
import { type Caller, callerScopeKey, scopeOfCaller } from "../caller.ts";
import type { CatalogTool, Source } from "../source.ts";
import type { Approvals } from "./approvals.ts";
import { type ApprovalReply, type Askers, createApprovalQuestions, createClientAsker } from "./askers.ts";
import { type CallFacts, judgeCall, type Judgement } from "./judge-call.ts";
import type { Pins } from "./pins.ts";

/** What a caller asks for: a tool call, or a read from a source. */
export interface Operation {
  readonly source: Source;
  /** Undefined for reads of resources and prompts. */
  readonly tool?: CatalogTool;
  readonly args: unknown;
  /** Its name in messages and in the audit: the tool, or the method of a read. */
  readonly what: string;
}

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

/** Decides whether a call may run, with at most one question. Returns no promise if the call is simply allowed. */
export type AdmitCall = (
  policy: Policy,
  operation: Operation,
  context: CallContext,
) => CallAdmission | Promise<CallAdmission>;

export function createCallAdmission(options: CallAdmissionOptions): AdmitCall {
  const { approvals, pins, askers, clock, log, askTimeoutMs } = options;
  const questions = createApprovalQuestions(askTimeoutMs, log);

  function judge(policy: Policy, operation: Operation, context: CallContext, more: Partial<CallFacts>): Judgement {
    const { source, tool } = operation;
    return judgeCall({
      policy,
      caller: context.caller,
      source: { id: source.id, kind: source.kind, trusted: source.trusted === true },
      tool: tool && { name: tool.name, annotations: tool.tool.annotations },
      reach: anyoneReachable,
      ...more,
    });
  }

  async function decide(policy: Policy, operation: Operation, context: CallContext): Promise<CallAdmission> {
    for (;;) {
      const advice = await gatherAdvice(operation, context, pins);
      const reach = { person: askers.available(context).length > 0, client: true };
      let judgement = judge(policy, operation, context, { advice, reach });
      if (judgement.policy.verdict === "ask" && operation.tool !== undefined) {
        const remembered = await approvals.recall(operation.tool, context.caller);
        judgement = judge(policy, operation, context, { advice, reach, remembered });
      }
      const { verdict, why, unanswerable } = judgement;
      if (verdict === "allow") return pass(operation, verdict, why);
      if (unanswerable) return unanswered(operation, context, judgement, "no one is available to approve it");
      if (verdict === "deny") return refuse(operation, judgement, { verdict, why });
      const reply = await ask(operation, context, judgement);
      if (reply === "again") continue;
      if (reply.choice === undefined) return unanswered(operation, context, judgement, "no one answered");
      const answered = `${why}: ${reply.choice} by ${reply.by}`;
      if (reply.choice !== "never" && reply.choice !== "no") return pass(operation, verdict, answered);
      return refuse(operation, judgement, { verdict, why: answered, noApproval: "the answer was no" });
    }
  }

  function ask(operation: Operation, context: CallContext, judgement: Judgement): Promise<ApprovalReply | "again"> {
    const { caller } = context;
    const { tool, source, what } = operation;
    const scope = scopeOfCaller(caller);
    const people = askers.available(context);
    if (people.length > 0) {
      const data = `Waiting for approval of ${what}, for up to ${Math.round(askTimeoutMs / 1000)} seconds.`;
      context.tell({ level: "notice", logger: "clawport", data });
    }
    return questions.put({
      about: JSON.stringify([source.id, what, callerScopeKey(scope)]),
      question: {
        id: randomUUID(),
        tool: what,
        source: source.id,
        caller: caller.client === undefined ? scope : { ...scope, client: caller.client },
        text: questionText(operation, caller, judgement.reasons),
        choices: choicesFor(operation, judgement),
        expiresAt: clock() + askTimeoutMs,
      },
      askers: judgement.mayAskClient ? [...people, createClientAsker(context)] : people,
      signal: context.signal,
      async settle({ choice }) {
        if (choice !== "always" && choice !== "never") return;
        const keepers = judgement.reasons.map(async (reason) => {
          if (reason === judgement.policy && tool) await approvals.remember(tool, caller, choice);
          await reason.remember?.(choice);
        });
        for (const kept of await Promise.allSettled(keepers)) {
          if (kept.status === "rejected")
            log.warn("could not save an answer; it applies to this call only", { error: kept.reason });
        }
      },
    });
  }

  async function unanswered(
    operation: Operation,
    context: CallContext,
    judgement: Judgement,
    noApproval: NoApprovalReason,
  ): Promise<CallAdmission> {
    const approvable = judgement.policy.verdict === "ask" && operation.tool !== undefined;
    if (approvable) {
      await approvals.note(operation.tool, context.caller, judgement.policy.reason).catch((error: unknown) => {
        log.warn("could not save a call that waits for approval", { error });
      });
    }
    return refuse(operation, judgement, {
      verdict: "ask",
      why: `${judgement.why}: ${noApproval}`,
      noApproval,
      approvable,
    });
  }

  function pass(operation: Operation, verdict: CallVerdict, why: string): CallAdmission {
    if (operation.tool !== undefined) pins.pinOnFirstUse(operation.tool);
    return { pass: true, verdict, why };
  }

  return (policy, operation, context) => {
    if (
      operation.source.adviceOn === undefined &&
      (operation.tool === undefined || pins.isKnownUnchanged(operation.tool))
    ) {
      const judgement = judge(policy, operation, context, {});
      if (judgement.verdict === "allow") return pass(operation, judgement.verdict, judgement.why);
    }
    return decide(policy, operation, context);
  };
}

/** A decision without a question does not depend on who could be asked. */
const anyoneReachable = { person: true, client: true };

async function gatherAdvice({ source, tool, args }: Operation, { caller }: CallContext, pins: Pins): Promise<Advice[]> {
  if (tool === undefined) return [];
  const advice = await Promise.all([pins.check(tool), source.adviceOn?.(tool.tool.name, args, caller)]);
  return advice.filter((one) => one !== undefined);
}

/** Lasting answers are offered only if everything that asks can remember them. */
function choicesFor({ tool }: Operation, { reasons, policy }: Judgement): readonly Choice[] {
  const canRemember = (reason: Advice) => (reason === policy ? tool !== undefined : reason.remember !== undefined);
  return reasons.every(canRemember) ? ["once", "always", "never"] : ["once"];
}

interface CallRefusal {
  readonly verdict: CallVerdict;
  readonly why: string;
  readonly noApproval?: NoApprovalReason;
  readonly approvable?: boolean;
}

function refuse({ what }: Operation, { reasons }: Judgement, refusal: CallRefusal): CallAdmission {
  const { verdict, why, noApproval, approvable = false } = refusal;
  return { pass: false, verdict, why, text: denialText({ what, reasons, noApproval, approvable }) };
}

const longestArguments = 2000;
const longestDetail = 20_000;
const longestName = 100;

/** The whole question for a person. Text from outside is bounded, with invisible characters spelled out. */
function questionText({ what, source, args }: Operation, caller: Caller, reasons: readonly Advice[]): string {
  const lines = [
    `${callerName(caller)} asks to use ${what} from ${visibleText(source.id, longestName)}.`,
    `Approval is needed because ${reasons.map(({ reason }) => visibleText(reason, 500)).join(", and because ")}.`,
    `Arguments: ${visibleText(JSON.stringify(args) ?? "none", longestArguments)}`,
    ...reasons.flatMap(({ detail }) => (detail === undefined ? [] : [visibleText(detail, longestDetail)])),
  ];
  return lines.join("\n");
}

function callerName({ door, client, sender, agent, token }: Caller): string {
  const who = [
    client && `"${visibleText(client, longestName)}"`,
    sender && `sender ${visibleText(sender, longestName)}`,
    agent && `agent ${visibleText(agent, longestName)}`,
    token && `token ${visibleText(token, longestName)}`,
  ];
  return `${who.filter(Boolean).join(", ") || "A caller"} (${door})`;
}

export type NoApprovalReason = "no one is available to approve it" | "no one answered" | "the answer was no";

export interface DenialFacts {
  /** What was refused: `git__push`, or `resources/read`. */
  readonly what: string;
  readonly reasons: readonly Advice[];
  /** Why there was no approval; undefined if none was needed. */
  readonly noApproval: NoApprovalReason | undefined;
  /** Whether `clawport approve` can allow it. */
  readonly approvable: boolean;
}

/** Says why, and how to allow it: the reader is a model that passes it on to its user. */
function denialText({ what, reasons, noApproval, approvable }: DenialFacts): string {
  const why = reasons.map(({ reason }) => reason).join(", and ");
  const ways = [
    ...(approvable ? [`Run \`clawport approve ${what}\` to allow it.`] : []),
    ...reasons.flatMap(({ howTo }) => howTo ?? []),
  ];
  const said =
    noApproval === undefined ? `${what} was denied: ${why}.` : `${what} needs approval, but ${noApproval}: ${why}.`;
  return [said, [...new Set(ways)].map(alternative).join(" ")].join(" ").trimEnd();
}

function alternative(sentence: string, index: number): string {
  return index === 0 ? sentence : `Or ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}
