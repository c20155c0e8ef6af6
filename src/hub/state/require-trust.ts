import { findRisks } from "../../core/config/trust/find-risks.ts";
import type { StartedCommand } from "../../core/config/trust/run-files.ts";
import {
  type ConfigIdentity,
  identifyConfig,
  judgeTrust,
  needsTrust,
  readTrusted,
  rememberTrust,
} from "../../core/config/trust/trust.ts";
import { Fault, isFault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import { redactText } from "../../core/secrets/redact.ts";
import { shownText } from "../../core/text/shown-text.ts";
import { type ActiveConfig, loadConfigOf } from "./active-config.ts";
import type { Host } from "./host.ts";

type ConfigFile = NonNullable<ActiveConfig["file"]>;

/** The configuration for a command that uses it: the user is asked first if it comes with the folder and has a risk. */
export async function loadTrustedConfigOf(host: Host, home: Home, trust: boolean): Promise<ActiveConfig> {
  const active = await loadConfigOf(host);
  if (active.file !== undefined) await requireTrust(host, home, active.file, trust);
  return active;
}

/** Why this file may not be used as it is; undefined if it may. */
export async function findTrustProblem(home: Home, file: ConfigFile): Promise<string | undefined> {
  try {
    return (await findDoubt(home, file))?.reason;
  } catch (error) {
    if (!isFault(error, "untrusted")) throw error;
    return error.message;
  }
}

/** Asks the user once about a configuration that came with its folder; `trust` is their answer given beforehand. */
export async function requireTrust(
  host: Pick<Host, "ask"> & { readonly log: Log },
  home: Home,
  file: ConfigFile,
  trust: boolean,
): Promise<void> {
  const doubt = await findDoubt(home, file);
  if (doubt === undefined) return;
  const { reason, question, identity } = doubt;
  if (!trust) {
    const answer = await host.ask(`${shownText(file.path)}\n${question}\nTrust it now? [y/N] `);
    if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw new Fault("untrusted", reason, { detail: { path: file.path } });
  }
  await rememberTrust(home, identity, host.log);
}

/** Faults if a file that this command runs has changed since the user trusted the configuration. */
export async function requireTrustedCommand(home: Home, file: ConfigFile, command: StartedCommand): Promise<void> {
  const doubt = await findDoubt(home, file, [command]);
  if (doubt !== undefined) throw new Fault("untrusted", doubt.reason, { detail: { path: file.path } });
}

interface TrustDoubt {
  /** For messages and logs: secrets are masked. */
  readonly reason: string;
  /** For the person who decides: nothing is. */
  readonly question: string;
  readonly identity: ConfigIdentity;
}

async function findDoubt(
  home: Home,
  file: ConfigFile,
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
