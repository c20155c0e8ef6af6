import type { Policy, PolicyRule } from "../../../core/config/policy-config.ts";
import type { CallVerdict } from "../../advice.ts";
import type { Caller } from "../../caller.ts";
import { compileGlob } from "../../glob.ts";
import type { Finding } from "../../screen/finding.ts";
import type { Source } from "../../source.ts";
import type { PatternSubject } from "../../tool-pattern.ts";
import { matchesRule, traitsOf } from "../judge-call.ts";
import type { PinRules } from "../judge-pins.ts";
import type { Pin } from "../pin-file.ts";

/** What a finding is about. */
interface FindingSubject {
  readonly source: string;
  readonly kind: Source["kind"];
  readonly tool: PatternSubject | undefined;
}

/** What the owner's rules say about a finding; undefined if none is about it. A folder's rules can only be stricter. */
export function judgeFinding(
  { rules = [], folder }: Policy,
  { rule: id }: Pick<Finding, "rule">,
  subject: FindingSubject,
  caller: Caller | undefined,
): { readonly verdict: CallVerdict; readonly by: string } | undefined {
  const find = (list: readonly PolicyRule[], where: string) => {
    const index = list.findIndex((rule) => isAbout(rule, id, subject, caller));
    return index === -1 ? undefined : { verdict: list[index]!.verdict, by: `policy.rules[${index}]${where}` };
  };
  const own = find(rules, "");
  const folders = find(folder?.rules ?? [], " of this folder");
  if (folders === undefined || folders.verdict === "allow") return own;
  return own === undefined || own.verdict === "allow" || folders.verdict === "deny" ? folders : own;
}

/** Definitions are judged for all callers: a rule about one of them is not about them. */
const anyone: Caller = { door: "server" };

function isAbout(rule: PolicyRule, id: string, subject: FindingSubject, caller: Caller | undefined): boolean {
  if (rule.finding === undefined || !compileGlob(rule.finding)(id)) return false;
  const ofCaller = [rule.door, rule.token, rule.client, rule.sender, rule.owner, rule.agent];
  if (caller === undefined && ofCaller.some((field) => field !== undefined)) return false;
  const { source, kind, tool } = subject;
  return matchesRule(rule, { tool, source, kind, traits: traitsOf() }, caller ?? anyone);
}

/** How the findings of a server's definitions are judged. */
export function flagOf(policy: Policy, server: string, prefix: string | undefined): NonNullable<PinRules["flag"]> {
  return ({ id, name, findings = [] }: Pin) => {
    if (policy.screen?.enabled === false) return undefined;
    const tool = { name: name ?? `${prefix ?? server}__${id}`, aliases: () => [id] };
    const severities = findings.map((finding) => {
      const judged = judgeFinding(policy, finding, { source: server, kind: "server", tool }, undefined);
      if (judged === undefined) return finding.severity;
      return judged.verdict === "allow" ? "note" : judged.verdict === "deny" ? "hold" : "ask";
    });
    return severities.includes("hold") ? "hold" : severities.includes("ask") ? "ask" : undefined;
  };
}
