import { Fault } from "../../../core/fault.ts";
import type { Env } from "../../../core/process/child-env.ts";

/** How many orders led to this process. Servers that an agent starts get this variable. */
const depthVariable = "CLAWPORT_ORDER_DEPTH";

const maxDepth = 3;

/** An agent may use a server that places orders itself. Without a limit, one order could lead to endlessly many. */
export function checkOrderDepth(env: Env): void {
  const depth = depthOf(env);
  if (depth < maxDepth) return;
  const message = `This order is nested too deep: ${depth} agents have passed orders on, and ${maxDepth} is the limit.`;
  throw new Fault("denied", message, { detail: { depth } });
}

/** Whether no agent has passed an order on to this process. */
export function isTopOrder(env: Env): boolean {
  return depthOf(env) === 0;
}

/** The environment for servers that an agent starts. */
export function nestedOrderEnv(env: Env): Env {
  return { ...env, [depthVariable]: String(depthOf(env) + 1) };
}

function depthOf(env: Env): number {
  const depth = Number(env[depthVariable] ?? 0);
  return Number.isInteger(depth) && depth > 0 ? depth : 0;
}
