import { Fault } from "../../../core/fault.ts";
import type { TokenUsage } from "../reply-backend.ts";
import type { ModelSettings } from "./find-model.ts";

interface Usage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** Counts the tokens and the cost of one order, and knows when the limit is reached. */
export interface OrderBudget {
  add(usage: Usage): void;
  /** Whether a limit is reached, including usage that was not added yet. */
  isUsedUp(uncounted?: readonly Usage[]): boolean;
  spent(): TokenUsage;
  /** undefined without prices. */
  cost(): number | undefined;
  /** Says why the model was stopped before it had an answer. */
  fault(): Fault;
}

type BudgetSettings = Pick<ModelSettings, "maxSteps" | "maxTokens" | "maxCost" | "prices">;

export function createOrderBudget({ maxSteps, maxTokens, maxCost = Infinity, prices }: BudgetSettings): OrderBudget {
  let spent: TokenUsage = { input: 0, output: 0 };
  const costOf = ({ input, output }: TokenUsage): number | undefined =>
    prices && (input * prices.input + output * prices.output) / 1_000_000;
  const isOverCost = (usage: TokenUsage): boolean => (costOf(usage) ?? 0) >= maxCost;

  return {
    add(usage) {
      spent = addUsage(spent, usage);
    },
    isUsedUp(uncounted = []) {
      const total = uncounted.reduce(addUsage, spent);
      return total.input + total.output >= maxTokens || isOverCost(total);
    },
    spent: () => spent,
    cost: () => costOf(spent),
    fault() {
      const tokens = spent.input + spent.output;
      const cost = costOf(spent);
      const allowed = isOverCost(spent)
        ? `an order may cost ${maxCost} (agent.model.maxCost)`
        : `${maxSteps} steps and ${maxTokens} tokens are allowed per order (agent.model.maxSteps, agent.model.maxTokens)`;
      const used = `${tokens} tokens${cost === undefined ? "" : `, which cost ${moneyText(cost)}`}`;
      const message = `The model was stopped before it had an answer: ${allowed}, and it used ${used}.`;
      return new Fault("unavailable", message, { detail: { tokens, ...(cost === undefined ? {} : { cost }) } });
    },
  };
}

function addUsage({ input, output }: TokenUsage, { inputTokens = 0, outputTokens = 0 }: Usage): TokenUsage {
  return { input: input + inputTokens, output: output + outputTokens };
}

/** Most orders cost fractions of a cent: two digits would show them as free. */
function moneyText(amount: number): string {
  return amount.toFixed(6).replace(/\.?0+$/, "");
}
