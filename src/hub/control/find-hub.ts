import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import type { Secret } from "../../core/secrets/secret.ts";
import { mainTokenPath, readMainToken } from "../../doors/mcp/main-token.ts";
import type { Host } from "../host.ts";
import { findRunningHub } from "../hub-record.ts";

/** A running hub, and the token that opens it. */
export interface RunningHub {
  /** Without a path: `http://127.0.0.1:8765`. */
  readonly address: string;
  readonly token: Secret;
}

/** The hub that runs on this state folder; undefined if none does. Faults with `unauthorized` if its token is missing. */
export async function findHub({ env, log }: Pick<Host, "env" | "log">, home: Home): Promise<RunningHub | undefined> {
  const running = await findRunningHub(home);
  if (running === undefined) return undefined;
  const { address } = running;
  const path = mainTokenPath({ home, env });
  const token = readMainToken(path, log);
  if (token !== undefined) return { address, token };
  const message = `A hub runs at ${address}, but ${path} has no token. Run \`clawport token show\` to create one.`;
  throw new Fault("unauthorized", message);
}
