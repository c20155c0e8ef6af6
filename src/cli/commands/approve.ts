import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/peer-text.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  name: "approve",
  summary: "allow a tool whose calls wait for approval, or accept its changed definition",
  args: [{ name: "tool", description: "its name, as `clawport tools` shows it" }],
  options: { yes: { type: "boolean", short: "y", description: "accept a change without being asked" } },
  examples: ["clawport approve files__delete"],
  async run(context) {
    const { openApprovalFiles } = await import("./approvals.ts");
    const { pinDiff } = await import("../../catalog/guard/pin-definition.ts");
    const { isYes } = await import("../terminal/read-line.ts");
    const { approvals, pins } = await openApprovalFiles(context);
    const [name = ""] = context.args;
    for (const { text, offered, source } of (await pins.list()).filter((pin) => pin.name === name && pin.offered)) {
      context.say(`${name} of ${source} has changed:\n${pinDiff(text, offered?.text ?? "")}`);
      const answer = context.options.yes ? "y" : await context.ask("Accept the change? [y/N] ");
      // Without a terminal the agent itself may be running this, so accepting has to be explicit.
      if (answer === undefined)
        throw new Fault(
          "usage",
          "accepting the change needs a terminal to confirm it; add --yes to accept it without one",
        );
      if (!isYes(answer)) throw new Fault("cancelled", "nothing was changed");
    }
    const accepted = await pins.accept(name);
    const approved = await approvals.approveWaiting(name);
    if (accepted.length + approved.length === 0)
      throw new Fault(
        "not-found",
        `${quoted(name)} has nothing to approve; run \`clawport approvals\` to see what does`,
      );
    const done = [
      accepted.length > 0 && "its new definition is accepted",
      approved.length > 0 && "its calls are allowed",
    ];
    context.answer({ tool: name, accepted, approved }, `${name}: ${done.filter(Boolean).join(", and ")}`);
  },
});
