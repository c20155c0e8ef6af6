import type { Policy, PolicyLimit, PolicyRule } from "../../core/config/policy-config.ts";
import type { ToolAnnotations } from "../../mcp/messages/tool.ts";
import type { Advice, CallVerdict } from "../advice.ts";
import { type Caller, type DoorKind, identitiesOf, isActedFor } from "../caller.ts";
import { compileGlob } from "../glob.ts";
import type { Source } from "../source.ts";
import { isMeant, type PatternSubject, reachOf } from "../tool-pattern.ts";

export interface CallFacts {
  readonly policy: Policy;
  readonly caller: Caller;
  readonly source: { readonly id: string; readonly kind: Source["kind"]; readonly trusted: boolean };
  /** Undefined for reads of resources and prompts, which are read-only by nature. */
  readonly tool?: (PatternSubject & { readonly annotations?: ToolAnnotations | undefined }) | undefined;
  /** From everything else that has a say: consent, exec approvals, pins. */
  readonly advice?: readonly Advice[];
  /** The lasting answer to an earlier question of policy. */
  readonly remembered?: "always" | "never" | undefined;
  /** Whether a person can be asked, and whether the calling client could ask its user. */
  readonly reach: { readonly person: boolean; readonly client: boolean };
}

export interface Judgement {
  readonly verdict: CallVerdict;
  /** For the audit: what decided. */
  readonly why: string;
  /** Everything that asked or denied, and why. */
  readonly reasons: readonly Advice[];
  /** What policy alone says. The guard keeps the lasting answers to it. */
  readonly policy: Advice;
  /** Whether the calling client may ask its user. */
  readonly mayAskClient: boolean;
  /** It would have been a question, but no one can be asked. */
  readonly unanswerable: boolean;
  /** Whether the call may run if the question gets no answer. */
  readonly runsUnanswered: boolean;
}

/** The strictest advice wins. A question that no one can be asked is a denial. */
export function judgeCall(facts: CallFacts): Judgement {
  const { policy, found } = judgePolicy(facts);
  const advice = [policy, ...(facts.advice ?? [])];
  const verdict = strictest(advice);
  if (verdict === "allow") {
    const nothingAsked = { mayAskClient: false, unanswerable: false, runsUnanswered: false };
    return { verdict, why: policy.by, reasons: [], policy, ...nothingAsked };
  }
  const reasons = advice.filter((one) => one.verdict === verdict);
  const isOwnersWord = reasons.some(({ ownerOnly }) => ownerOnly === true);
  const mayAskClient = facts.reach.client && found?.rule.askClient === true && !isOwnersWord;
  const unanswerable = verdict === "ask" && !facts.reach.person && !mayAskClient;
  return {
    verdict: unanswerable ? "deny" : verdict,
    why: reasons.map(({ by }) => by).join(", "),
    reasons,
    policy,
    mayAskClient,
    unanswerable,
    runsUnanswered: verdict === "ask" && reasons.every(({ unanswered }) => unanswered === "allow"),
  };
}

interface PolicyVerdict {
  readonly policy: Advice;
  /** The rule that decided. */
  readonly found: FoundRule | undefined;
}

/** With a folder's policy besides the owner's, both judge. If they are equally strict, the owner's comes first. */
function judgePolicy(facts: CallFacts): PolicyVerdict {
  const { folder } = facts.policy;
  if (folder === undefined) return judgeByPolicy(facts, "");
  const own = judgeByPolicy(facts, " of your own configuration");
  return strictestOf([own, judgeByPolicy({ ...facts, policy: folder }, " of this folder")]);
}

/** Policy judges every identity of the caller. If two are equally strict, the caller that asked comes first. */
function judgeByPolicy(facts: CallFacts, where: string): PolicyVerdict {
  const tool = toolFacts(facts);
  if (!isActedFor(facts.caller)) return judgeAs(facts.caller, tool, facts, where);
  return strictestOf(identitiesOf(facts.caller).map((identity) => judgeAs(identity, tool, facts, where)));
}

function judgeAs(caller: Caller, tool: ToolFacts, facts: CallFacts, where: string): PolicyVerdict {
  const found = findRule(facts.policy, tool, caller);
  const advice = found ? ruleAdvice(found, where) : presetAdvice(tool, facts, caller);
  return { policy: applyRemembered(advice, facts), found };
}

/** The first of the strictest. Where several ask, the client may be asked only if all of their rules let it. */
function strictestOf(verdicts: readonly PolicyVerdict[]): PolicyVerdict {
  const verdict = strictest(verdicts.map(({ policy }) => policy));
  const decisive = verdicts.filter(({ policy }) => policy.verdict === verdict);
  const withoutClient = verdict === "ask" ? decisive.find(({ found }) => found?.rule.askClient !== true) : undefined;
  return withoutClient ?? decisive[0]!;
}

function strictest(advice: readonly Advice[]): CallVerdict {
  if (advice.some(({ verdict }) => verdict === "deny")) return "deny";
  return advice.some(({ verdict }) => verdict === "ask") ? "ask" : "allow";
}

/** Under `strict`, hints count only if their source is trusted. */
function toolFacts({ policy, source, tool }: CallFacts): ToolFacts {
  const believed = policy.preset !== "strict" || source.trusted;
  const hints = tool === undefined ? { readOnlyHint: true } : believed ? tool.annotations : undefined;
  return { tool, source: source.id, kind: source.kind, traits: traitsOf(hints) };
}

function ruleAdvice({ rule, index }: FoundRule, where: string): Advice {
  const by = `policy.rules[${index}]${where}`;
  if (rule.verdict === "allow") return { by, verdict: "allow", reason: "a rule allows it" };
  const requirement = rule.verdict === "ask" ? `${by} requires it` : `${by} forbids it`;
  const reason = rule.reason ? `${requirement}: ${rule.reason}` : requirement;
  return { by, verdict: rule.verdict, reason };
}

/** The doors through which calls come that no person has approved yet. */
const doorReasons: Partial<Record<DoorKind, string>> = {
  plugin: "OpenClaw's agent needs approval for tools without a read-only hint",
  server: "a server needs approval to use your model",
};

const allowedBy = (by: string): Advice => ({ by, verdict: "allow", reason: "no rule matches" });
const allowed = {
  open: allowedBy("preset open"),
  default: allowedBy("preset default"),
  strict: allowedBy("preset strict"),
};

function presetAdvice({ traits }: ToolFacts, facts: CallFacts, { door }: Caller): Advice {
  const { preset = "default" } = facts.policy;
  const asksStrictly = preset === "strict" && !traits.readOnly;
  const why = preset === "default" && !traits.readOnly ? doorReasons[door] : undefined;
  if (!asksStrictly && why === undefined) return allowed[preset];
  const reason = why ?? strictReason(facts);
  return { by: `preset ${preset}`, verdict: "ask", reason };
}

/** A hint that does not count is the real reason: without saying so, a read-only tool would be called not read-only. */
function strictReason({ source, tool }: CallFacts): string {
  if (source.trusted || tool?.annotations?.readOnlyHint !== true)
    return `policy.preset "strict" requires it for everything that is not read-only`;
  const which = source.kind === "server" ? `${source.id} has no \`trusted: true\`` : `this one is not trusted`;
  return `policy.preset "strict" requires it: a read-only hint counts only from a trusted source, and ${which}`;
}

/** A lasting answer settles a question of policy. It never overrides a rule that allows or denies. */
function applyRemembered(policy: Advice, { remembered }: CallFacts): Advice {
  if (policy.verdict !== "ask" || remembered === undefined) return policy;
  if (remembered === "always") return { by: "approval", verdict: "allow", reason: 'an earlier answer was "always"' };
  return { by: "approval", verdict: "deny", reason: 'an earlier answer was "never"' };
}

/** What rules know about the tool or the source. */
export interface ToolFacts {
  /** Undefined for reads, so that no rule about tools matches. */
  readonly tool?: PatternSubject | undefined;
  readonly source: string;
  readonly kind: Source["kind"];
  readonly traits: ToolTraits;
}

/** The hints of MCP with the defaults filled in: a tool without hints counts as the most dangerous kind. */
export interface ToolTraits {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

export function traitsOf(hints: ToolAnnotations = {}): ToolTraits {
  const readOnly = hints.readOnlyHint === true;
  return {
    readOnly,
    destructive: !readOnly && hints.destructiveHint !== false,
    idempotent: hints.idempotentHint === true,
    openWorld: hints.openWorldHint !== false,
  };
}

export interface FoundRule {
  readonly rule: PolicyRule;
  readonly index: number;
}

type RuleTest = (tool: ToolFacts, caller: Caller) => boolean;

const compiledRules = new WeakMap<object, RuleTest>();

/** The first rule whose fields all match. */
function findRule({ rules = [] }: Policy, tool: ToolFacts, caller: Caller): FoundRule | undefined {
  // A rule with `finding` is for what screening found, see `judge-findings.ts`.
  const index = rules.findIndex((rule) => rule.finding === undefined && matchesRule(rule, tool, caller));
  return index === -1 ? undefined : { rule: rules[index]!, index };
}

export function matchesRule(rule: PolicyRule | PolicyLimit, tool: ToolFacts, caller: Caller): boolean {
  const known = compiledRules.get(rule);
  if (known !== undefined) return known(tool, caller);
  const test = compileRule(rule);
  compiledRules.set(rule, test);
  return test(tool, caller);
}

function compileRule(rule: Partial<PolicyRule>): RuleTest {
  const { kind, door, annotation, owner } = rule;
  const tests: RuleTest[] = [
    ...toolTest(rule),
    ...textTest(rule.source, (tool) => tool.source),
    ...textTest(rule.token, (_, caller) => caller.token),
    ...textTest(rule.client, (_, caller) => caller.client),
    ...senderTest(rule),
    ...textTest(rule.agent, (_, caller) => caller.agent),
  ];
  if (kind !== undefined) tests.push((tool) => tool.kind === kind);
  if (door !== undefined) tests.push((_, caller) => caller.door === door);
  if (owner !== undefined) tests.push((_, caller) => (caller.isOwner === true) === owner);
  if (annotation !== undefined) {
    const trait = annotation.replace("!", "") as keyof ToolTraits;
    const expected = !annotation.startsWith("!");
    tests.push((tool) => tool.traits[trait] === expected);
  }
  return (tool, caller) => tests.every((test) => test(tool, caller));
}

function toolTest(rule: Partial<PolicyRule>): RuleTest[] {
  if (rule.tool === undefined) return [];
  const matches = compileGlob(rule.tool);
  const by = reachOf(rule);
  return [({ tool }) => tool !== undefined && isMeant(matches, tool, by)];
}

/** Where several people may have asked, one of them is enough for a rule that denies or asks, and not for one that allows. */
function senderTest({ sender, verdict }: Partial<PolicyRule>): RuleTest[] {
  if (sender === undefined) return [];
  const matches = compileGlob(sender);
  return [
    (_, caller) =>
      caller.senders === undefined
        ? caller.sender !== undefined && matches(caller.sender)
        : verdict !== "allow" && caller.senders.some(matches),
  ];
}

/** A glob never matches a missing value, not even `*`. */
function textTest(
  pattern: string | undefined,
  read: (tool: ToolFacts, caller: Caller) => string | undefined,
): RuleTest[] {
  if (pattern === undefined) return [];
  const matches = compileGlob(pattern);
  return [
    (tool, caller) => {
      const text = read(tool, caller);
      return text !== undefined && matches(text);
    },
  ];
}
