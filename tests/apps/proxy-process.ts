import { type Place, type Running, startReady } from "../support/cli/run-clawport.ts";

/** Starts `clawport proxy` and waits until it is ready. */
export function startProxyProcess(
  place: Place,
  ...args: string[]
): Promise<Running<{ readonly address: string; readonly port: number }>> {
  return startReady(place, "proxy", "--json", ...args);
}
