import type { FoundConfig } from "../../core/config/find-config.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import { findRisks } from "../../core/config/trust/find-risks.ts";
import type { StartedCommand } from "../../core/config/trust/run-files.ts";
import {
  type ConfigIdentity,
  identifyConfig,
  judgeTrust,
  needsTrust,
  readTrusted,
} from "../../core/config/trust/trust.ts";
import { isFault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { redactText } from "../../core/secrets/redact.ts";

export interface TrustDoubt {
  /** For messages and logs: secrets are masked. */
  readonly reason: string;
  /** For the person who decides: nothing is. */
  readonly question: string;
  readonly identity: ConfigIdentity;
}

/** What the user has to decide before this file is used; undefined if nothing. */
export async function findDoubt(
  home: Pick<Home, "file">,
  file: FoundConfig & LoadedConfig,
  commands?: readonly StartedCommand[],
): Promise<TrustDoubt | undefined> {
  if (file.location !== "working-folder") return undefined;
  const { readJson5 } = await import("../../core/config/json5/read-json5.ts");
  const risks = findRisks(file, readJson5(file.raw).value);
  if (!needsTrust(file.location, risks)) return undefined;
  const identity = await identifyConfig(file, commands);
  const verdict = judgeTrust({ risks, identity, trusted: await readTrusted(home) });
  return verdict.pass ? undefined : { reason: redactText(verdict.reason), question: verdict.question, identity };
}

/** Why this file may not be used as it is; undefined if it may. */
export async function findTrustProblem(
  home: Pick<Home, "file">,
  file: FoundConfig & LoadedConfig,
): Promise<string | undefined> {
  try {
    return (await findDoubt(home, file))?.reason;
  } catch (error) {
    if (!isFault(error, "untrusted")) throw error;
    return error.message;
  }
}
