import type { Policy, PolicyLimit, PolicyRule } from "../../core/config/policy-schema.ts";
import type { ToolAnnotations } from "../../mcp/tool.ts";
import type { Caller } from "../caller.ts";
import { compileGlob } from "../glob.ts";
import type { Source } from "../tool-source.ts";

/** What the rules may know about the thing called. */
export interface ToolFacts {
  /** The name in the catalog; missing where a resource or prompt is read, so that no rule about tools fits. */
  readonly name?: string | undefined;
  readonly source: string;
  readonly kind: Source["kind"];
  readonly traits: Traits;
}

/** The hints of MCP with its defaults filled in: what says nothing is taken for the worst. */
export interface Traits {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

export function traitsOf(hints: ToolAnnotations = {}): Traits {
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

type Test = (tool: ToolFacts, caller: Caller) => boolean;

const compiled = new WeakMap<object, Test>();

/** The first rule of which every field fits. */
export function findRule({ rules = [] }: Policy, tool: ToolFacts, caller: Caller): FoundRule | undefined {
  const index = rules.findIndex((rule) => fits(rule, tool, caller));
  return index === -1 ? undefined : { rule: rules[index]!, index };
}

export function fits(rule: PolicyRule | PolicyLimit, tool: ToolFacts, caller: Caller): boolean {
  const known = compiled.get(rule);
  if (known !== undefined) return known(tool, caller);
  const test = compile(rule);
  compiled.set(rule, test);
  return test(tool, caller);
}

function compile(rule: Partial<PolicyRule>): Test {
  const { kind, door, annotation } = rule;
  const tests: Test[] = [
    ...textTest(rule.tool, (tool) => tool.name),
    ...textTest(rule.source, (tool) => tool.source),
    ...textTest(rule.token, (_, caller) => caller.token),
    ...textTest(rule.client, (_, caller) => caller.client),
    ...textTest(rule.sender, (_, caller) => caller.sender),
    ...textTest(rule.agent, (_, caller) => caller.agent),
  ];
  if (kind !== undefined) tests.push((tool) => tool.kind === kind);
  if (door !== undefined) tests.push((_, caller) => caller.door === door);
  if (annotation !== undefined) {
    const trait = annotation.replace("!", "") as keyof Traits;
    const wanted = !annotation.startsWith("!");
    tests.push((tool) => tool.traits[trait] === wanted);
  }
  return (tool, caller) => tests.every((test) => test(tool, caller));
}

/** A glob never fits what is not there, not even `*`. */
function textTest(pattern: string | undefined, read: (tool: ToolFacts, caller: Caller) => string | undefined): Test[] {
  if (pattern === undefined) return [];
  const matches = compileGlob(pattern);
  return [
    (tool, caller) => {
      const text = read(tool, caller);
      return text !== undefined && matches(text);
    },
  ];
}
