import { hash } from "node:crypto";
import { sortKeys } from "../../core/sort-keys.ts";
import { visibleText } from "../../core/text/peer-text.ts";
import { redact, redactText } from "../../core/secrets/redact.ts";
import { type NamedSecret, nameSecrets, shownJson, shownLines, shownText } from "../../core/text/shown-text.ts";
import type { Advice } from "../advice.ts";
import { type Caller, type CallingScript, scopeOfCaller } from "../caller.ts";
import type { NewWaitingCall } from "./approvals.ts";
import { identityOf } from "./approvals-file.ts";
import { questionText } from "./call-text.ts";
import type { Judgement } from "./judge-call.ts";
import type { Operation } from "./reach-source.ts";
import { hashParts, promptParts, toolParts } from "./pin-definition.ts";

const maxNameLength = 100;
const maxValueLength = 300;
const maxArgumentsLength = 2000;
const maxReasonLength = 500;

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
  const { what, source, tool } = operation;
  const args = argumentsOf(operation);
  const grantCommand = reasons.find((reason) => reason.grantCommand !== undefined)?.grantCommand;
  const canRemember = (reason: Advice) => (reason === policy ? tool !== undefined : reason.remember !== undefined);
  const parts = {
    name: what,
    source: source.id,
    caller: scopeOfCaller(caller),
    ...(caller.client !== undefined && { client: visibleText(caller.client, maxNameLength) }),
  };
  const whole = {
    reason: reasons.map(({ reason }) => shownText(reason)).join(", and because "),
    ...detailOf([
      ...reasons.flatMap(({ detail }) => detail ?? []),
      ...(caller.script ? [scriptText(caller.script)] : []),
    ]),
  };
  const stored = {
    reason: cut(whole.reason, maxReasonLength),
    ...(whole.detail !== undefined && { detail: redactText(nameSecrets(whole.detail, secrets)) }),
    arguments: storedArguments(args, secrets),
  };
  const isWhole =
    stored.reason === whole.reason && stored.detail === whole.detail && stored.arguments === oneLine(args);
  return {
    ...parts,
    ...stored,
    ...identityOf(source, tool?.tool),
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

function scriptText({ id, around }: CallingScript): string {
  return `The script ${id} makes this call:\n${around}`;
}

function detailOf(details: readonly string[]): { readonly detail?: string } {
  return details.length === 0 ? {} : { detail: shownLines(details.join("\n")) };
}

/** Undefined if it is too long to be stored whole. */
function oneLine(args: unknown): string | undefined {
  const json = JSON.stringify(args) ?? "none";
  return json.length > maxArgumentsLength ? undefined : shownLines(json);
}

/** The arguments of a call as they may be written down: with secrets masked, and of bounded length. */
export function argumentsToStore(operation: Operation, secrets: readonly NamedSecret[] = []): string {
  return storedArguments(argumentsOf(operation), secrets);
}

/** What is called belongs to the arguments: the method alone does not say which prompt it is. */
function argumentsOf({ prompt, args }: Operation): unknown {
  return prompt === undefined ? args : { name: prompt.prompt.name, arguments: args };
}

/** Long values are cut one by one, so that none of them pushes another out of sight. Secrets are masked before that. */
function storedArguments(args: unknown, secrets: readonly NamedSecret[]): string {
  const shorten = (_key: string, value: unknown): unknown =>
    typeof value === "string" ? cut(nameSecrets(value, secrets), maxValueLength) : value;
  const text = JSON.stringify(redact(args), shorten) ?? "none";
  return cut(nameSecrets(shownLines(text), secrets), maxArgumentsLength);
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
