import { Fault } from "../../core/fault.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";

export const allowCommand = defineCommand({
  name: "allow",
  summary: "allow a tool that needs your consent, for every caller",
  args: [{ name: "tool", description: "its name, such as clipboard.read" }],
  options: {
    session: { type: "boolean", description: "only until the running node stops" },
    yes: { type: "boolean", short: "y", description: "do not ask for confirmation" },
  },
  examples: ["clawport node allow clipboard.read", "clawport node allow location.get --session"],
  async run(context) {
    const { options, isAttended } = context;
    const { allowCapability: allow } = await import("../../hub/node/node-consent.ts");
    const { noApprover } = await import("../../hub/control/approvals.ts");
    const [name = ""] = context.args;
    // Without a terminal the agent itself may be running this.
    if (!isAttended && !options.yes) throw new Fault("denied", noApprover);
    const until = options.session === true ? "until the node stops" : "from now on";
    await confirm(context, `Allow ${name} for every caller ${until}?`, options.yes === true);
    await allow(context, { capability: name, session: options.session === true, confirmed: isAttended });
    context.answer(
      { allowed: name, session: options.session === true },
      `${name} is allowed for every caller ${until}.`,
    );
  },
});

export const forgetCapability = defineCommand({
  name: "forget",
  summary: "forget what you decided about a tool, so that it needs your consent again",
  args: [{ name: "tool", description: "its name, such as clipboard.read" }],
  async run(context) {
    const { forgetNodeConsent: forgetConsent } = await import("../../hub/node/node-consent.ts");
    const [name = ""] = context.args;
    const count = await forgetConsent(context, name);
    context.answer({ forgotten: count }, `Forgot ${count} decision${count === 1 ? "" : "s"} about ${name}.`);
  },
});

async function confirm(context: CommandContext, question: string, isConfirmed: boolean): Promise<void> {
  if (isConfirmed) return;
  const { isYes } = await import("../terminal/read-line.ts");
  if (isYes((await context.ask(`${question} [y/N] `)) ?? "")) return;
  throw new Fault("cancelled", "Nothing was changed.");
}
