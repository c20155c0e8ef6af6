import { defineCommand } from "../command.ts";

export const command = defineCommand({
  name: "stop",
  summary: "stop the running hub or node; calls in progress have 5 seconds to finish",
  examples: ["clawport stop", "clawport stop --json"],
  async run(context) {
    const { openHomeOf } = await import("../../hub/state/open-home.ts");
    const { stopHub } = await import("../../hub/stop-hub.ts");
    const stopping = stopHub(await openHomeOf(context), context.stopSignal());
    const hub = await context.showWhile("Stopping the hub …", stopping);
    if (hub === undefined) return context.answer({ stopped: null }, "No hub is running.");
    const { address, pid } = hub;
    context.answer(
      { stopped: { address, pid } },
      address === undefined ? `Stopped the node (PID ${pid}).` : `Stopped the hub at ${address}.`,
    );
  },
});
