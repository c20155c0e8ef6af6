import { messageOf } from "../../core/thrown.ts";
import { findGateway, type GatewayAddress } from "../../sources/agent/gateway/find-gateway.ts";
import { isListening } from "../is-listening.ts";
import type { World } from "../world.ts";
import type { Finding } from "./finding.ts";

/** It may be on another machine. */
const patienceMs = 2000;

/** Whether the gateway that orders go to takes connections. Nobody has to have one, so its absence is no failure. */
export async function checkOpenClaw({ env, homedir }: Pick<World, "env" | "homedir">): Promise<Finding[]> {
  try {
    return [await look(await findGateway({ env, homedir }))];
  } catch (error) {
    return [{ level: "warn", what: messageOf(error), fix: "openclaw doctor" }];
  }
}

async function look({ url, from, stateFolder }: GatewayAddress): Promise<Finding> {
  // Not the address as it is written: there may be secrets in it.
  const { protocol, hostname, port } = new URL(url);
  const number = Number(port || (protocol === "wss:" ? 443 : 80));
  const where = `${hostname}:${number}`;
  if (await isListening(hostname.replaceAll(/[[\]]/g, ""), number, patienceMs))
    return { level: "ok", what: `an OpenClaw gateway answers at ${where}` };
  const isOurs = stateFolder !== undefined;
  return {
    level: "info",
    what: `no OpenClaw gateway at ${where}${isOurs ? "" : `, which ${from} names`}; needed only to talk to its agent`,
    fix: isOurs ? "openclaw gateway" : "openclaw gateway health",
  };
}
