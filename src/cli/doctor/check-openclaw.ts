import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, messageOf } from "../../core/thrown.ts";
import { isListening } from "../is-listening.ts";
import type { World } from "../world.ts";
import type { Finding } from "./finding.ts";

const usualPort = 18_789;

/** Whether an OpenClaw gateway takes connections. Nobody has to have one, so its absence is no failure. */
export async function checkOpenClaw(world: Pick<World, "env" | "homedir">): Promise<Finding[]> {
  const found = await findPort(world);
  if (typeof found !== "number") return [found];
  if (await isListening("127.0.0.1", found))
    return [{ level: "ok", what: `an OpenClaw gateway answers on port ${found}` }];
  return [
    {
      level: "info",
      what: `no OpenClaw gateway on port ${found}; needed only to talk to its agent`,
      fix: "openclaw gateway",
    },
  ];
}

async function findPort({ env, homedir }: Pick<World, "env" | "homedir">): Promise<number | Finding> {
  const asked = Number(env["OPENCLAW_GATEWAY_PORT"]);
  if (Number.isInteger(asked) && asked > 0) return asked;
  const path =
    env["OPENCLAW_CONFIG_PATH"] || join(env["OPENCLAW_STATE_DIR"] || join(homedir, ".openclaw"), "openclaw.json");
  try {
    const { readJson5 } = await import("../../core/config/read-json5.ts");
    const config = readJson5(await readFile(path, "utf8")).value as { gateway?: { port?: unknown } } | null;
    const port = config?.gateway?.port;
    return typeof port === "number" ? port : usualPort;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return usualPort;
    return { level: "warn", what: `${path} can't be read: ${messageOf(error)}`, fix: "openclaw doctor" };
  }
}
