import { hash } from "node:crypto";
import { visibleText } from "../../core/peer-text.ts";
import { redact } from "../../core/secrets/redact.ts";
import type { Advice } from "../advice.ts";
import { type Caller, scopeOfCaller } from "../caller.ts";
import type { WaitingCall } from "./approvals-file.ts";
import { identityOf, type NewWaitingCall } from "./approvals.ts";
import type { Judgement } from "./judge-call.ts";
import type { Operation } from "./operation.ts";

const longestName = 100;
const longestValue = 300;
const longestArguments = 2000;
const longestReason = 500;
const longestDetail = 8000;

/** What a person must know about a call to approve it. Text from outside is bounded, with invisible characters spelled out. */
export function describeCall(operation: Operation, caller: Caller, { reasons, policy }: Judgement): NewWaitingCall {
  const { what, source, tool, prompt } = operation;
  // What is called belongs to the arguments: the method alone does not say which prompt it is.
  const args = prompt === undefined ? operation.args : { name: prompt.prompt.name, arguments: operation.args };
  const details = reasons.flatMap(({ detail }) => (detail === undefined ? [] : [visibleText(detail, longestDetail)]));
  const grantCommand = reasons.find((reason) => reason.grantCommand !== undefined)?.grantCommand;
  const canRemember = (reason: Advice) => (reason === policy ? tool !== undefined : reason.remember !== undefined);
  const asked = reasons.map(({ by, reason, detail }) => ({ by, reason, detail }));
  const hashed = JSON.stringify({ isTool: tool !== undefined, args, asked }, sortKeys);
  return {
    name: what,
    source: source.id,
    ...identityOf(source),
    tool: tool?.tool.name ?? what,
    caller: scopeOfCaller(caller),
    ...(caller.client !== undefined && { client: visibleText(caller.client, longestName) }),
    hash: hash("sha256", hashed),
    arguments: shownArguments(args),
    reason: reasons.map(({ reason }) => visibleText(reason, longestReason)).join(", and because "),
    ...(details.length > 0 && { detail: details.join("\n") }),
    ...(grantCommand !== undefined && { grantCommand }),
    lasting: reasons.every(canRemember),
  };
}

/** A client may send the same arguments in any order. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Long values are cut one by one, so that none of them pushes another out of sight. */
function shownArguments(args: unknown): string {
  const cut = (_key: string, value: unknown): unknown =>
    typeof value === "string" && value.length > longestValue
      ? `${value.slice(0, longestValue)}… (${value.length} characters)`
      : value;
  return visibleText(JSON.stringify(redact(args), cut) ?? "none", longestArguments);
}

/** The whole question for a person. */
export function questionText(call: Omit<WaitingCall, "id" | "at" | "openUntil" | "hash">): string {
  const { name, source, reason, arguments: shown, detail } = call;
  return [
    `${callerText(call)} asks to use ${name} from ${visibleText(source, longestName)}.`,
    `Approval is needed because ${reason}.`,
    `Arguments: ${shown}`,
    ...(detail === undefined ? [] : [detail]),
  ].join("\n");
}

function callerText({ caller, client }: Pick<WaitingCall, "caller" | "client">): string {
  const { door, sender, agent, token } = caller;
  const who = [
    client && `"${client}"`,
    sender && `sender ${visibleText(sender, longestName)}`,
    agent && `agent ${visibleText(agent, longestName)}`,
    token && `token ${visibleText(token, longestName)}`,
  ];
  return `${who.filter(Boolean).join(", ") || "A caller"} (${door})`;
}
