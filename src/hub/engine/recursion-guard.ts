import { hash } from "node:crypto";
import { Fault } from "../../core/fault.ts";
import type { World } from "../../core/process/world.ts";

/** Which configurations are being served by the processes that started this one; handed on to every server. */
const variable = "CLAWPORT_SERVING";

/**
 * The environment for the servers of a configuration. Faults where a process that serves the very same one has started us
 * as one of its servers: it would be a server of its own, without end.
 */
export function guardRecursion(env: World["env"], path: string): World["env"] {
  const own = hash("sha256", path, "hex").slice(0, 16);
  const chain = (env[variable] ?? "").split(",").filter((link) => link !== "");
  if (chain.includes(own)) {
    const message = `${path} names this very program as one of its servers, so that it would start itself without end. Take that server out.`;
    throw new Fault("config", message);
  }
  return { ...env, [variable]: [...chain, own].join(",") };
}
