import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "usage",
  summary: "show what was called how often, about how many tokens it took, and what was never used",
  options: {
    days: {
      type: "number",
      value: "<n>",
      range: [1, 92],
      description: "the last days, today included (default: 30)",
    },
    ...trustOption,
  },
  examples: ["clawport usage", "clawport usage --days 7", "clawport usage --json | jq .unused.tools"],
  async run(context) {
    const { runPresentation } = await import("../run-presentation.ts");
    const { runUsage } = await import("../../hub/presentation/usage.ts");
    return runPresentation(context, {
      need: { servers: "none", asksNode: true },
      trust: context.options.trust,
      run: (handler) => runUsage(handler, context.options.days),
    });
  },
});
