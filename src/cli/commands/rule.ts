import { compileGlob } from "../../catalog/glob.ts";
import { Fault } from "../../core/fault.ts";
import { countText } from "../../core/text/count-text.ts";
import { sanitizeLine } from "../../core/text/peer-text.ts";
import type { PolicyRule } from "../../core/config/policy-config.ts";
import type { HubControl } from "../../hub/control/verbs.ts";
import type { RuleList } from "../../hub/control/settings/edit-rules.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandGroup, defineCommand } from "../command.ts";
import type { OptionTable } from "../options.ts";

const conditions = {
  source: { type: "string", value: "<glob>", description: "only tools of these sources" },
  door: { type: "string", value: "<door>", description: "only calls through this door, such as mcp-http or cli" },
  token: { type: "string", value: "<glob>", description: "only calls with these tokens" },
  client: { type: "string", value: "<glob>", description: "only clients that call themselves so" },
  agent: { type: "string", value: "<glob>", description: "only calls by these agents" },
  finding: {
    type: "string",
    value: "<rule>",
    description: "only what this rule of screening finds, such as secret-path; decides about the finding, not the call",
  },
  annotation: {
    type: "string",
    value: "<hint>",
    description: "only tools that say this about themselves, such as destructive or !readOnly",
  },
  reason: { type: "string", value: "<text>", description: "shown with the question or the denial" },
} as const satisfies OptionTable;

const add = defineCommand({
  name: "add",
  summary: "add a rule before the others, so that it decides first",
  args: [
    { name: "verdict", description: "allow, ask or deny" },
    { name: "tool", description: "its name; * matches any characters", optional: true, completes: "tools" },
  ],
  options: { ...conditions, last: { type: "boolean", description: "add it after the others instead" } },
  async run(context) {
    const [verdict, tool] = context.args;
    const { last, ...given } = context.options;
    const rule = withoutUndefined({ tool, ...pick(given), verdict });
    if (Object.keys(rule).every((key) => key === "verdict" || key === "reason"))
      throw new Fault("usage", "Name a tool, or what else the rule is about: `clawport rule add deny files__delete`.");
    await change(context, ({ rules }) => {
      const at = last === true ? rules.length : 0;
      const added = rules.toSpliced(at, 0, rule as unknown as PolicyRule);
      return { rules: added, text: `Added as rule ${at + 1} of ${added.length}: ${ruleText(rule)}`, tool };
    });
  },
});

const remove = defineCommand({
  name: "remove",
  summary: "remove a rule",
  args: [{ name: "number", description: "its number, as `clawport rule list` shows it" }],
  async run(context) {
    const number = Number(context.args[0]);
    await change(context, ({ rules }) => {
      const rule = rules[number - 1];
      if (rule === undefined)
        throw new Fault("not-found", "There is no rule with this number. Run `clawport rule list` to see them.");
      return { rules: rules.toSpliced(number - 1, 1), text: `Removed: ${ruleText(rule)}` };
    });
  },
});

const list = defineCommand({
  name: "list",
  summary: "list the rules, in the order in which they are tried",
  run: (context) =>
    editing(context, async (control) => {
      const found = await control.rules.list();
      const lines = found.rules.map((rule, index) => `${index + 1}  ${ruleText(rule)}`);
      const preset = `If none matches, the preset ${found.preset} decides.`;
      context.answer(found, [...lines, preset].join("\n"));
    }),
});

export const command: CommandGroup = {
  name: "rule",
  summary: "add, list and remove the rules that decide calls",
  commands: [add, list, remove],
  fallback: "list",
  examples: [
    "clawport rule add ask 'files__write_*' --reason 'my notes'",
    "clawport rule add deny --annotation destructive --token phone",
    "clawport rule add allow files__read --finding secret-path",
    "clawport rule add allow --source files --finding secret-path",
    "clawport rule remove 1",
  ],
};

interface Changed {
  readonly rules: readonly unknown[];
  readonly text: string;
  /** The names that it is about, if it has any. */
  readonly tool?: string | undefined;
}

/** Saves what `edit` makes of the rules, unless the configuration was edited meanwhile. */
function change(context: CommandContext, edit: (list: RuleList) => Changed): Promise<void> {
  return editing(context, async (control, hasHub) => {
    const before = await control.rules.list();
    const { rules, text, tool } = edit(before);
    const saved = await control.rules.save({ rules, baseHash: before.hash });
    const matches = tool !== undefined && hasHub ? [await matchText(control, tool)] : [];
    context.answer(saved, [text, ...matches, `Saved to ${saved.path}.`].join("\n"));
  });
}

const maxNamed = 5;

/** A slip in a pattern is seen at once, not when a call passes that was meant to wait. */
async function matchText(control: HubControl, pattern: string): Promise<string> {
  const isMatch = compileGlob(pattern);
  const names = (await control.tools.list()).map(({ name }) => name).filter(isMatch);
  if (names.length === 0) return "No tool has such a name now. Run `clawport tools` to see the names.";
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  return sanitizeLine(`Matches ${countText(names.length, "tool")}: ${names.slice(0, maxNamed).join(", ")}${more}`);
}

async function editing(
  context: CommandContext,
  work: (control: HubControl, hasHub: boolean) => Promise<void>,
): Promise<void> {
  const { openEditingControl } = await import("../../hub/open-control.ts");
  const { control, hub, close } = await openEditingControl(context, false);
  try {
    await work(control, hub !== undefined);
  } finally {
    await close();
  }
}

function pick(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.keys(conditions).map((name) => [name, given[name]]));
}

function withoutUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** `ask  tool files__write_*, token phone (my notes)` */
function ruleText(rule: object): string {
  const { verdict, reason, ...fields } = rule as Readonly<Record<string, string | boolean>>;
  const when = Object.entries(fields).map(([name, value]) => `${name} ${value}`);
  const because = reason === undefined ? "" : ` (${reason})`;
  return sanitizeLine(`${verdict}  ${when.join(", ")}${because}`);
}
