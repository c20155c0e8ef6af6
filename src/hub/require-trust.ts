import { findRisks, hashConfig, judgeTrust, readTrusted, rememberTrust } from "../core/config/trust.ts";
import { Fault } from "../core/fault.ts";
import type { Home } from "../core/files/home.ts";
import type { Log } from "../core/log.ts";
import type { Host } from "./host.ts";
import type { ActiveConfig } from "./active-config.ts";

type ConfigFile = NonNullable<ActiveConfig["file"]>;

/** Why this file may not be used as it is; undefined if it may. */
export async function findTrustProblem(home: Home, file: ConfigFile): Promise<string | undefined> {
  const verdict = judgeTrust({
    location: file.location,
    risks: findRisks(file),
    contentHash: hashConfig(file),
    trustedHashes: await readTrusted(home),
  });
  return verdict.pass ? undefined : verdict.reason;
}

/** Asks the user once about a configuration that came with its folder; `trust` is their answer given beforehand. */
export async function requireTrust(
  host: Pick<Host, "ask"> & { readonly log: Log },
  home: Home,
  file: ConfigFile,
  trust: boolean,
): Promise<void> {
  const reason = await findTrustProblem(home, file);
  if (reason === undefined) return;
  if (!trust) {
    const answer = await host.ask(`${file.path}\n${reason}\nTrust it now? [y/N] `);
    if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw new Fault("untrusted", reason, { detail: { path: file.path } });
  }
  await rememberTrust(home, hashConfig(file), host.log);
}
