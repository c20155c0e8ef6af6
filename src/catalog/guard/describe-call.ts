import { hash } from "node:crypto";
import { sortKeys } from "../../core/sort-keys.ts";
import { visibleText } from "../../core/peer-text.ts";
import { redact, redactText } from "../../core/secrets/redact.ts";
import { type NamedSecret, nameSecrets, shownJson, shownLines, shownText } from "../../core/shown-text.ts";
import type { Advice } from "../advice.ts";
import { type Caller, scopeOfCaller } from "../caller.ts";
import { identityOf, type NewWaitingCall } from "./approvals.ts";
import { questionText } from "./call-text.ts";
import type { Judgement } from "./judge-call.ts";
import type { Operation } from "./operation.ts";
import { hashParts, promptParts, toolParts } from "./pin-definition.ts";

const longestName = 100;
const longestValue = 300;
const longestArguments = 2000;
const longestReason = 500;

/**
 * What a person must know about a call to approve it: `question` is the whole of it, for people. The rest is what may be
 * stored, with secrets masked and of bounded length; `isWhole` says whether that is all the same.
 */
export function describeCall(
  operation: Operation,
  caller: Caller,
  { reasons, policy }: Judgement,
  secrets: readonly NamedSecret[] = [],
): NewWaitingCall {
  const { what, source, tool, prompt } = operation;
  // What is called belongs to the arguments: the method alone does not say which prompt it is.
  const args = prompt === undefined ? operation.args : { name: prompt.prompt.name, arguments: operation.args };
  const grantCommand = reasons.find((reason) => reason.grantCommand !== undefined)?.grantCommand;
  const canRemember = (reason: Advice) => (reason === policy ? tool !== undefined : reason.remember !== undefined);
  const parts = {
    name: what,
    source: source.id,
    caller: scopeOfCaller(caller),
    ...(caller.client !== undefined && { client: visibleText(caller.client, longestName) }),
  };
  const whole = {
    reason: reasons.map(({ reason }) => shownText(reason)).join(", and because "),
    ...detailOf(reasons.flatMap(({ detail }) => detail ?? [])),
  };
  const stored = {
    reason: cut(whole.reason, longestReason),
    ...(whole.detail !== undefined && { detail: redactText(nameSecrets(whole.detail, secrets)) }),
    arguments: nameSecrets(storedArguments(args), secrets),
  };
  const isWhole =
    stored.reason === whole.reason && stored.detail === whole.detail && stored.arguments === oneLine(args);
  return {
    ...parts,
    ...stored,
    ...identityOf(source),
    tool: tool?.tool.name ?? what,
    hash: hashCall(operation, args, reasons),
    ...(grantCommand !== undefined && { grantCommand }),
    lasting: reasons.every(canRemember),
    ...(isWhole && { isWhole }),
    question: questionText({ ...parts, ...whole, arguments: shownJson(args) }, secrets),
  };
}

/** An answer is for these arguments, these reasons and this definition. A client may send the arguments in any order. */
function hashCall({ tool, prompt }: Operation, args: unknown, reasons: readonly Advice[]): string {
  const asked = reasons.map(({ by, reason, detail }) => ({ by, reason, detail }));
  const definition = hashParts(
    tool !== undefined ? toolParts(tool.tool) : prompt !== undefined ? promptParts(prompt.prompt) : {},
  );
  return hash("sha256", JSON.stringify({ isTool: tool !== undefined, args, asked, definition }, sortKeys));
}

function detailOf(details: readonly string[]): { readonly detail?: string } {
  return details.length === 0 ? {} : { detail: shownLines(details.join("\n")) };
}

/** Undefined if it is too long to be stored whole. */
function oneLine(args: unknown): string | undefined {
  const json = JSON.stringify(args) ?? "none";
  return json.length > longestArguments ? undefined : shownLines(json);
}

/** Long values are cut one by one, so that none of them pushes another out of sight. */
function storedArguments(args: unknown): string {
  const shorten = (_key: string, value: unknown): unknown =>
    typeof value === "string" ? cut(value, longestValue) : value;
  return cut(shownLines(JSON.stringify(redact(args), shorten) ?? "none"), longestArguments);
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
