import { Fault } from "../../../core/fault.ts";
import type { TokenUsage } from "../reply-backend.ts";
import type { ModelSettings } from "./find-model.ts";

interface Usage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** Counts what one order uses of a model, and knows when that is too much. */
export interface OrderBudget {
  add(usage: Usage): void;
  /** Whether nothing is left, or would be after what is not counted yet. */
  isUp(uncounted?: readonly Usage[]): boolean;
  spent(): TokenUsage;
  /** Nothing where no prices are known. */
  cost(): number | undefined;
  /** Why the model was stopped before it had an answer. */
  fault(): Fault;
}

type BudgetSettings = Pick<ModelSettings, "maxSteps" | "maxTokens" | "maxCost" | "prices">;

export function createOrderBudget({ maxSteps, maxTokens, maxCost = Infinity, prices }: BudgetSettings): OrderBudget {
  let spent: TokenUsage = { input: 0, output: 0 };
  const costOf = ({ input, output }: TokenUsage): number | undefined =>
    prices && (input * prices.input + output * prices.output) / 1_000_000;
  const isTooDear = (use: TokenUsage): boolean => (costOf(use) ?? 0) >= maxCost;

  return {
    add(usage) {
      spent = sum(spent, usage);
    },
    isUp(uncounted = []) {
      const use = uncounted.reduce(sum, spent);
      return use.input + use.output >= maxTokens || isTooDear(use);
    },
    spent: () => spent,
    cost: () => costOf(spent),
    fault() {
      const tokens = spent.input + spent.output;
      const cost = costOf(spent);
      const allowed = isTooDear(spent)
        ? `an order may cost ${maxCost} (agent.model.maxCost)`
        : `${maxSteps} steps and ${maxTokens} tokens are allowed per order (agent.model.maxSteps, agent.model.maxTokens)`;
      const used = `${tokens} tokens${cost === undefined ? "" : `, which cost ${moneyText(cost)}`}`;
      const message = `The model was stopped before it had an answer: ${allowed}, and it has used ${used}.`;
      return new Fault("unavailable", message, { detail: { tokens, ...(cost === undefined ? {} : { cost }) } });
    },
  };
}

function sum({ input, output }: TokenUsage, { inputTokens = 0, outputTokens = 0 }: Usage): TokenUsage {
  return { input: input + inputTokens, output: output + outputTokens };
}

/** Prices are fractions of a cent: two digits would show most orders as free. */
function moneyText(amount: number): string {
  return amount.toFixed(6).replace(/\.?0+$/, "");
}
