import type { ServerStatus } from "../server-status.ts";

/** Whether it can be called without connecting first. */
export function isOpenState({ state }: ServerStatus): boolean {
  return state === "ready" || state === "degraded";
}
