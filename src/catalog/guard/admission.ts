import { randomUUID } from "node:crypto";
import type { Policy } from "../../core/config/policy-schema.ts";
import type { Log } from "../../core/log.ts";
import type { Choice, Opinion, Verdict } from "../opinion.ts";
import type { CallContext } from "../tool-source.ts";
import type { Approvals } from "./approvals.ts";
import type { Reply } from "./ask-askers.ts";
import type { Askers } from "./askers.ts";
import { scopeKey, scopeOf } from "./caller-scope.ts";
import { createClientAsker } from "./client-asker.ts";
import { denialText } from "./denial.ts";
import type { NoYes } from "./denial.ts";
import { judgeCall } from "./judge-call.ts";
import type { CallFacts, Judgement } from "./judge-call.ts";
import type { Pins } from "./pins.ts";
import { questionText } from "./question-text.ts";
import { createQuestions } from "./questions.ts";
import type { Use } from "./use.ts";

type Admission =
  | { readonly pass: true; readonly verdict: Verdict; readonly why: string }
  | { readonly pass: false; readonly verdict: Verdict; readonly why: string; readonly text: string };

export interface AdmissionOptions {
  readonly approvals: Approvals;
  readonly pins: Pins;
  readonly askers: Askers;
  readonly clock: () => number;
  readonly log: Log;
  readonly askTimeoutMs: number;
}

/** Decides whether a call may run, asking at most one question. What is simply allowed is decided without waiting. */
export type Admit = (policy: Policy, use: Use, context: CallContext) => Admission | Promise<Admission>;

export function createAdmission(options: AdmissionOptions): Admit {
  const { approvals, pins, askers, clock, log, askTimeoutMs } = options;
  const questions = createQuestions(askTimeoutMs, log);

  function judge(policy: Policy, use: Use, context: CallContext, more: Partial<CallFacts>): Judgement {
    const { source, tool } = use;
    return judgeCall({
      policy,
      caller: context.caller,
      source: { id: source.id, kind: source.kind, trusted: source.trusted === true },
      tool: tool && { name: tool.name, annotations: tool.tool.annotations },
      reach: anybody,
      ...more,
    });
  }

  async function decide(policy: Policy, use: Use, context: CallContext): Promise<Admission> {
    for (;;) {
      const opinions = await opinionsOn(use, context, pins);
      const reach = { person: askers.available(context).length > 0, client: true };
      let judgement = judge(policy, use, context, { opinions, reach });
      if (judgement.policy.verdict === "ask" && use.tool !== undefined) {
        const remembered = await approvals.recall(use.tool, context.caller);
        judgement = judge(policy, use, context, { opinions, reach, remembered });
      }
      const { verdict, why, unanswerable } = judgement;
      if (verdict === "allow") return pass(use, verdict, why);
      if (unanswerable) return unanswered(use, context, judgement, "nobody is there to give it");
      if (verdict === "deny") return refuse(use, judgement, { verdict, why });
      const reply = await ask(use, context, judgement);
      if (reply === "again") continue;
      if (reply.choice === undefined) return unanswered(use, context, judgement, "nobody gave it");
      const answered = `${why}: ${reply.choice} by ${reply.by}`;
      if (reply.choice !== "never" && reply.choice !== "no") return pass(use, verdict, answered);
      return refuse(use, judgement, { verdict, why: answered, noYes: "the answer was no" });
    }
  }

  function ask(use: Use, context: CallContext, judgement: Judgement): Promise<Reply | "again"> {
    const { caller } = context;
    const { tool, source, what } = use;
    const scope = scopeOf(caller);
    const people = askers.available(context);
    if (people.length > 0) {
      const data = `Somebody is asked for a yes to ${what}: the call waits for up to ${Math.round(askTimeoutMs / 1000)} seconds.`;
      context.tell({ level: "notice", logger: "clawport", data });
    }
    return questions.put({
      about: JSON.stringify([source.id, what, scopeKey(scope)]),
      question: {
        id: randomUUID(),
        tool: what,
        source: source.id,
        caller: caller.client === undefined ? scope : { ...scope, client: caller.client },
        text: questionText(use, caller, judgement.reasons),
        choices: choicesFor(use, judgement),
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
            log.warn("an answer can't be kept; it counts for now", { error: kept.reason });
        }
      },
    });
  }

  async function unanswered(use: Use, context: CallContext, judgement: Judgement, noYes: NoYes): Promise<Admission> {
    const approvable = judgement.policy.verdict === "ask" && use.tool !== undefined;
    if (approvable) {
      await approvals.note(use.tool, context.caller, judgement.policy.reason).catch((error: unknown) => {
        log.warn("a call that waits for approval can't be noted", { error });
      });
    }
    return refuse(use, judgement, { verdict: "ask", why: `${judgement.why}: ${noYes}`, noYes, approvable });
  }

  function pass(use: Use, verdict: Verdict, why: string): Admission {
    if (use.tool !== undefined) pins.use(use.tool);
    return { pass: true, verdict, why };
  }

  return (policy, use, context) => {
    if (use.source.opinionOf === undefined && (use.tool === undefined || pins.isFine(use.tool))) {
      const judgement = judge(policy, use, context, {});
      if (judgement.verdict === "allow") return pass(use, judgement.verdict, judgement.why);
    }
    return decide(policy, use, context);
  };
}

/** For what is decided without a question it does not matter who could be asked. */
const anybody = { person: true, client: true };

async function opinionsOn({ source, tool, args }: Use, { caller }: CallContext, pins: Pins): Promise<Opinion[]> {
  if (tool === undefined) return [];
  const opinions = await Promise.all([pins.check(tool), source.opinionOf?.(tool.tool.name, args, caller)]);
  return opinions.filter((opinion) => opinion !== undefined);
}

/** A lasting answer is only offered where everybody who asks can keep it. */
function choicesFor({ tool }: Use, { reasons, policy }: Judgement): readonly Choice[] {
  const canKeep = (reason: Opinion) => (reason === policy ? tool !== undefined : reason.remember !== undefined);
  return reasons.every(canKeep) ? ["once", "always", "never"] : ["once"];
}

interface Refusal {
  readonly verdict: Verdict;
  readonly why: string;
  readonly noYes?: NoYes;
  readonly approvable?: boolean;
}

function refuse({ what }: Use, { reasons }: Judgement, refusal: Refusal): Admission {
  const { verdict, why, noYes, approvable = false } = refusal;
  return { pass: false, verdict, why, text: denialText({ what, reasons, noYes, approvable }) };
}
