import type { ApprovalAnswer } from "../../catalog/advice.ts";
import type { CallPreview } from "../../catalog/guard/call-admission.ts";
import { traitsOf } from "../../catalog/guard/judge-call.ts";
import type { CatalogTool } from "../../catalog/source.ts";
import { fitsWhole } from "../../core/text/shown-text.ts";
import type { ApprovalRequest, Decision } from "../openclaw-api.ts";
import type { Ticket } from "./tickets.ts";

/** OpenClaw shows no more of a title or a description. */
const maxTitle = 80;
const maxDescription = 512;
const askMs = 300_000;

export interface PromptedCall {
  readonly title: string;
  readonly tool: CatalogTool;
  readonly ticket: Ticket | undefined;
  readonly question: Extract<CallPreview, { readonly verdict: "ask" }>;
}

/**
 * The guard's question in OpenClaw's own prompt. Where the prompt can't show all of a call, it takes no yes: it names the
 * command that shows the call to the owner, whose answer then counts when the agent tries again.
 */
export async function createPrompt({ title, tool, ticket, question }: PromptedCall): Promise<ApprovalRequest> {
  const prompt = {
    title: title.slice(0, maxTitle),
    severity: traitsOf(tool.tool.annotations).destructive ? "warning" : "info",
    timeoutMs: askMs,
  } as const;
  if (!fitsWhole(question.text, { maxLength: maxDescription })) {
    const description = elsewhere(tool.name, question.text.length, await question.list());
    return { ...prompt, description, allowedDecisions: ["deny"], onResolution: () => {} };
  }
  return {
    ...prompt,
    description: question.text,
    allowedDecisions: question.lasting ? ["allow-once", "allow-always", "deny"] : ["allow-once", "deny"],
    onResolution(decision) {
      const choice = choices[decision];
      if (ticket !== undefined && choice !== undefined) ticket.answer = { choice, hash: question.hash };
    },
  };
}

function elsewhere(tool: string, length: number, id: string): string {
  return [
    `A call of ${tool.slice(0, 100)} needs approval. It is too long to be shown here (${length} characters), so it can't be allowed here.`,
    `To read all of it and answer, run \`clawport approve ${id}\` in a terminal of the gateway's computer. Then tell the agent to try again.`,
  ].join("\n");
}

const choices: Readonly<Partial<Record<Decision, ApprovalAnswer>>> = { "allow-once": "once", "allow-always": "always" };
