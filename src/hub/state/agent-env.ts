import { hash } from "node:crypto";
import type { World } from "../../core/process/world.ts";

/** The variables that say which agent takes the orders. None is a secret: a hash of a short one could be guessed. */
const names = [
  "CLAWPORT_MODEL",
  "CLAWPORT_MODEL_URL",
  "OPENCLAW_CONFIG_PATH",
  "OPENCLAW_GATEWAY_PORT",
  "OPENCLAW_GATEWAY_URL",
  "OPENCLAW_HOME",
  "OPENCLAW_STATE_DIR",
] as const;

/** Hashes of those that are set, to compare the environments of two processes without showing one to the other. */
export function agentEnvHashes(env: World["env"]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined || value === "" ? [] : [[name, hash("sha256", `${name}=${value}`).slice(0, 16)]];
    }),
  );
}
