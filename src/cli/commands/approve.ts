import { Fault } from "../../core/fault.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  name: "approve",
  summary: "allow a tool whose calls wait for approval, or accept its changed definition",
  args: [{ name: "tool", description: "its name, as `clawport tools` shows it" }],
  options: { yes: { type: "boolean", short: "y", description: "accept a change without being asked" } },
  examples: ["clawport approve files__delete"],
  async run(context) {
    const { openStateControl } = await import("../../hub/control/open-state-control.ts");
    const { isYes } = await import("../terminal/read-line.ts");
    await using opened = await openStateControl(context);
    const { approvals } = opened.control;
    const [name = ""] = context.args;
    for (const { source, diff } of (await approvals.list()).changed.filter((tool) => tool.name === name)) {
      context.say(`${name} of ${source} has changed:\n${diff}`);
      const answer = context.options.yes ? "y" : await context.ask("Accept the change? [y/N] ");
      // Without a terminal the agent itself may be running this, so accepting has to be explicit.
      if (answer === undefined)
        throw new Fault(
          "usage",
          "accepting the change needs a terminal to confirm it; add --yes to accept it without one",
        );
      if (!isYes(answer)) throw new Fault("cancelled", "nothing was changed");
    }
    const { accepted, approved } = await approvals.approve(name);
    const done = [
      accepted.length > 0 && "its new definition is accepted",
      approved.length > 0 && "its calls are allowed",
    ];
    context.answer({ tool: name, accepted, approved }, `${name}: ${done.filter(Boolean).join(", and ")}`);
  },
});
