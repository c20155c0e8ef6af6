import { hash } from "node:crypto";
import { Fault } from "../../core/fault.ts";
import type { World } from "../../core/process/world.ts";

/** The configurations that the processes above this one serve; passed on to every server. */
const variable = "CLAWPORT_SERVING";

/**
 * The environment for the servers of a configuration. Faults if a process that serves the same configuration has started
 * this one as one of its servers, which would go on without end.
 */
export function guardRecursion(env: World["env"], path: string): World["env"] {
  const own = hash("sha256", path, "hex").slice(0, 16);
  const chain = (env[variable] ?? "").split(",").filter((link) => link !== "");
  if (chain.includes(own)) {
    const message = `${path} lists Clawport itself as a server, so it would start itself over and over. Remove that server.`;
    throw new Fault("config", message);
  }
  return { ...env, [variable]: [...chain, own].join(",") };
}
