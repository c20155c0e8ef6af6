import { hash } from "node:crypto";
import { Fault } from "../../../core/fault.ts";
import type { World } from "../../../core/process/world.ts";
import { servingVariable } from "../../state/open-home.ts";

/**
 * The environment for the servers of a configuration. Faults if a process that serves the same configuration has started
 * this one as one of its servers, which would go on without end.
 */
export function guardRecursion(env: World["env"], path: string): World["env"] {
  const own = hash("sha256", path, "hex").slice(0, 16);
  const chain = (env[servingVariable] ?? "").split(",").filter((link) => link !== "");
  if (chain.includes(own)) {
    const message = `${path} lists Clawport itself as a server, so it would start itself over and over. Remove that server.`;
    throw new Fault("config", message);
  }
  return { ...env, [servingVariable]: [...chain, own].join(",") };
}
