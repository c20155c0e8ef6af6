import type { Severity, Subject } from "./finding.ts";
import { argumentRules } from "./rules/arguments.ts";
import { contextRules } from "./rules/context.ts";
import { structureRules } from "./rules/structure.ts";
import { wordingRules } from "./rules/wording.ts";

/** One rule as people read it: in the documentation, in a list, beside a finding. */
export interface RuleRow {
  readonly id: string;
  readonly reads: readonly { readonly subject: Subject; readonly severity: Severity }[];
  readonly why: string;
  readonly catches: readonly string[];
  readonly passes: readonly string[];
}

/** Every rule. The documentation and the tests are made from it. */
export function ruleTable(): readonly RuleRow[] {
  const ofText = [...structureRules, ...wordingRules].map(({ id, why, reads, catches, passes }): RuleRow => {
    const rows = Object.entries(reads).map(([subject, severity]) => ({ subject: subject as Subject, severity }));
    return { id, why, reads: rows, catches, passes };
  });
  const ofArguments = argumentRules.map(({ id, why, severity, catches, passes }): RuleRow => {
    const show = (example: (typeof catches)[number]): string =>
      `${JSON.stringify(example.arguments)}${example.about === undefined ? "" : ` (${example.about})`}`;
    return {
      id,
      why,
      reads: [{ subject: "arguments", severity }],
      catches: catches.map(show),
      passes: passes.map(show),
    };
  });
  const ofContext = contextRules.map(({ id, why, reads, severity, catches, passes }): RuleRow => {
    const show = (example: (typeof catches)[number]): string =>
      JSON.stringify(example.definition) +
      (example.beside === undefined
        ? ""
        : ` beside ${example.beside.map(({ server, name }) => `${name} of ${server}`).join(", ")}`) +
      (example.with === undefined ? "" : ` with ${JSON.stringify(example.with)}`);
    return { id, why, reads: [{ subject: reads, severity }], catches: catches.map(show), passes: passes.map(show) };
  });
  return [...ofText, ...ofContext, ...ofArguments];
}
