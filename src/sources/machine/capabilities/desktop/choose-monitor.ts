import { type CapabilityArgs, CapabilityFault, invalidRequest } from "../../capability.ts";
import type { Monitor, Screen } from "../../screen/screen.ts";

/** Arguments that choose a monitor. */
export const monitorInput = {
  screenIndex: {
    type: "integer",
    minimum: 0,
    maximum: 32,
    default: 0,
    description: "The monitor, by its `index` in screen.list.",
  },
  monitor: { type: "integer", minimum: 0, maximum: 32, description: "The same as `screenIndex`." },
} as const;

export async function chooseMonitor(screen: Screen, args: CapabilityArgs, signal: AbortSignal): Promise<Monitor> {
  const { screenIndex = args["monitor"] ?? 0 } = args;
  const monitors = await screen.monitors(signal);
  const found = monitors.find(({ index }) => index === screenIndex);
  if (found !== undefined) return found;
  if (monitors.length === 0)
    throw new CapabilityFault("SCREEN_UNAVAILABLE", "No monitor is listed. Try `allScreens: true`.");
  const range = monitors.length === 1 ? "0" : `0 to ${monitors.length - 1}`;
  throw invalidRequest(`screenIndex out of range: this computer has ${range}.`);
}
