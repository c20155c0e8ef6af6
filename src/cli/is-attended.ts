import type { World } from "./world.ts";

/** Whether a person sits there who sees a question and can type an answer. */
export function isAttended(world: Pick<World, "stdin" | "stderr">): boolean {
  return world.stderr.isTTY === true && world.stdin.isTTY === true;
}
