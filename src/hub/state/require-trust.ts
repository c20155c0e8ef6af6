import type { StartedCommand } from "../../core/config/trust/run-files.ts";
import { rememberTrust } from "../../core/config/trust/trust.ts";
import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import { shownText } from "../../core/text/shown-text.ts";
import { type ActiveConfig, loadConfigOf } from "./active-config.ts";
import { findDoubt } from "./find-doubt.ts";
import type { Host } from "./host.ts";

type ConfigFile = NonNullable<ActiveConfig["file"]>;

/** The configuration for a command that uses it: the user is asked first if it comes with the folder and has a risk. */
export async function loadTrustedConfigOf(host: Host, home: Home, trust: boolean): Promise<ActiveConfig> {
  const active = await loadConfigOf(host);
  const { file } = active;
  if (file === undefined) return active;
  await requireTrust(host, home, file, trust);
  // Read again for its secrets; if it has changed since the answer, that is asked about, too.
  return file.isWithheld === true ? loadTrustedConfigOf(host, home, false) : active;
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
