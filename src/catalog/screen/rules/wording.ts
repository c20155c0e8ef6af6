import { askingRules } from "./asking-rules.ts";
import { steeringRules } from "./steering-rules.ts";
import type { WordingRule } from "./wording-rule.ts";

export const wordingRules: readonly WordingRule[] = [...askingRules, ...steeringRules];
