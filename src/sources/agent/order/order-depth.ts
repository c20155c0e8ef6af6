import { Fault } from "../../../core/fault.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Tells a program that an agent of ours has started how many orders it is behind. Servers are handed this variable. */
const variable = "CLAWPORT_ORDER_DEPTH";

const maxDepth = 3;

/** An agent may use a server that gives orders itself; without an end to that, one order could become endlessly many. */
export function checkOrderDepth(env: Env): void {
  const depth = depthOf(env);
  if (depth < maxDepth) return;
  const message = `This order was given by an agent that had an order itself, ${depth} times over; more are not taken.`;
  throw new Fault("denied", message, { detail: { depth } });
}

/** The environment for what an agent of ours starts. */
export function nestedOrderEnv(env: Env): Env {
  return { ...env, [variable]: String(depthOf(env) + 1) };
}

function depthOf(env: Env): number {
  const depth = Number(env[variable] ?? 0);
  return Number.isInteger(depth) && depth > 0 ? depth : 0;
}
