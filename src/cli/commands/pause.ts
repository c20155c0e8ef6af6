import { Fault } from "../../core/fault.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  name: "pause",
  summary: "refuse all calls until you resume, and end recordings",
  options: {
    minutes: { type: "number", value: "<n>", range: [1, 10_080], description: "end it by itself after this time" },
    end: { type: "boolean", description: "resume" },
  },
  examples: ["clawport pause", "clawport pause --minutes 15", "clawport pause --end"],
  async run(context) {
    const { openHomeOf } = await import("../../hub/state/open-home.ts");
    const { findHubOrNode } = await import("../../hub/state/find-hub.ts");
    const { createRemoteControl } = await import("../../hub/control/remote-control.ts");
    const { minutes, end = false } = context.options;
    // Without a terminal, the agent that is to be stopped may be running this.
    if (end && !context.isAttended) throw new Fault("denied", "Resuming needs a person at a terminal.");
    const hub = await findHubOrNode(await openHomeOf(context));
    if (hub === undefined) throw new Fault("unavailable", "No hub is running, so there is nothing to pause.");
    const control = createRemoteControl(hub);
    try {
      if (end) {
        await control.presence.resume();
        return context.answer({ paused: null }, "Calls can run again.");
      }
      const paused = await control.presence.pause({ minutes });
      const until = paused?.until === undefined ? "you run `clawport pause --end`" : paused.until;
      context.answer({ paused }, `Paused: calls are refused until ${until}.`);
    } finally {
      control.close();
    }
  },
});
