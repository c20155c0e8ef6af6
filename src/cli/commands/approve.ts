import { defineCommand } from "../command.ts";

export const command = defineCommand({
  name: "approve",
  summary: "allow a tool that waits for a yes, or accept its changed definition",
  args: [{ name: "tool", description: "its name in the catalog" }],
  options: { yes: { type: "boolean", short: "y", description: "don't ask again before accepting a change" } },
  examples: ["clawport approve files__delete"],
  async run(context) {
    const { openApprovals } = await import("../../catalog/guard/approvals.ts");
    const { openPins } = await import("../../catalog/guard/pins.ts");
    const { pinDiff } = await import("../../catalog/guard/pin-definition.ts");
    const { openHomeOf } = await import("../open-home.ts");
    const { hubFiles } = await import("../../hub/hub-files.ts");
    const { Fault } = await import("../../core/fault.ts");
    const { quoted } = await import("../../core/peer-text.ts");
    const home = await openHomeOf(context);
    const [name = ""] = context.args;
    const pins = openPins({ file: hubFiles.pins(home), log: context.log });
    for (const { text, offered, source } of (await pins.list()).filter((pin) => pin.name === name && pin.offered)) {
      context.say(`${name} of ${source} has changed:\n${pinDiff(text, offered?.text ?? "")}`);
      const answer = context.options.yes ? "y" : await context.ask("Accept the change? [y/N] ");
      // Without a terminal it may be the agent itself that runs this: saying yes has to be said.
      if (answer === undefined)
        throw new Fault("usage", "nobody is here to look at the change; add --yes to accept it");
      if (!/^y(es)?$/i.test(answer.trim())) throw new Fault("cancelled", "nothing was changed");
    }
    const accepted = await pins.accept(name);
    const approvals = openApprovals({ file: hubFiles.approvals(home), log: context.log });
    const approved = await approvals.approveWaiting(name);
    if (accepted.length + approved.length === 0)
      throw new Fault("not-found", `nothing of ${quoted(name)} waits for a yes; see "clawport approvals"`);
    const what = [
      accepted.length > 0 && "its new definition is accepted",
      approved.length > 0 && "its calls are allowed",
    ];
    context.answer({ tool: name, accepted, approved }, `${name}: ${what.filter(Boolean).join(", and ")}`);
  },
});
