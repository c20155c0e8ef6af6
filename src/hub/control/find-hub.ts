import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { mainTokenPath, readMainToken } from "../../doors/mcp/main-token.ts";
import { findRunningHub } from "../hub-record.ts";
import type { RunningHub } from "./remote-control.ts";
import type { Host } from "../host.ts";

/** The hub of this home and the token that opens it; nothing where none runs. Faults with `unauthorized` without the token. */
export async function findHub({ env, log }: Host, home: Home): Promise<RunningHub | undefined> {
  const running = await findRunningHub(home);
  if (running === undefined) return undefined;
  const { address } = running;
  const path = mainTokenPath({ home, env });
  const token = readMainToken(path, log);
  if (token === undefined)
    throw new Fault("unauthorized", `The hub at ${address} runs, but ${path} holds no token: clawport token show`);
  return { address, token };
}
