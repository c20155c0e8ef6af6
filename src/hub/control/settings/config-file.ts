import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { readRawConfig, writeConfigText } from "../../../core/config/edit-config.ts";
import { configName, type FoundConfig } from "../../../core/config/find-config.ts";
import { loadConfig, readConfigText } from "../../../core/config/load-config.ts";
import { identifyConfig, rememberTrust } from "../../../core/config/trust/trust.ts";
import { Fault } from "../../../core/fault.ts";
import { withFileLock } from "../../../core/files/file-lock.ts";
import type { Home } from "../../../core/files/home.ts";
import { requireOwnConfig } from "../../state/load-named-config.ts";
import { findTrustProblem } from "../../state/find-doubt.ts";
import { hashConfig } from "../config-text.ts";
import type { FileContext } from "../contexts.ts";

export interface WrittenConfig {
  readonly path: string;
  readonly hash: string;
}

type EditedFile = Pick<FileContext, "home" | "env" | "log" | "place" | "reload">;

interface ChangeOptions {
  /** The text that the person saw. Without it, the change is made to whatever the file has now. */
  readonly baseHash?: string | undefined;
  /** The file is replaced as a whole, so what was in it before does not matter. */
  readonly isWhole?: boolean;
}

/** A configuration file that is changed for a person. */
export interface EditedConfigFile {
  readonly path: string;
  read(): Promise<{ readonly text: string; readonly hash: string }>;
  /** Writes the changed text if it can be used, and applies it. On failure the file is as it was. */
  change(edit: (text: string) => string, options?: ChangeOptions): Promise<WrittenConfig>;
}

/** The file that is active. */
export function openConfigFile({ home, env, log, place, reload }: EditedFile): EditedConfigFile {
  const { path, location } = place;

  async function read(): Promise<{ readonly text: string; readonly hash: string }> {
    const { text } = await readRawConfig(path);
    return { text, hash: hashConfig(text) };
  }

  async function requireTrusted(): Promise<void> {
    if (location !== "working-folder" || !existsSync(path)) return;
    const problem = await findTrustProblem(home, { ...(await loadConfig({ path, env })), location });
    if (problem !== undefined) throw new Fault("untrusted", problem);
  }

  return {
    path,
    read,
    change: (edit, { baseHash, isWhole = false } = {}) =>
      withFileLock(home.file("console", "config.lock"), { log }, async () => {
        const exists = existsSync(path);
        const { text, hash } = isWhole ? await readAsIs(path) : await read();
        if (baseHash !== undefined && baseHash !== hash) throw changedMeanwhile(path);
        await requireOwnConfig(path, text);
        if (!isWhole) await requireTrusted();
        const next = edit(text);
        // Everything that is wrong with it is reported before anything is written.
        const loaded = await loadConfig({ path, env, text: next });
        if ((await readAsIs(path)).hash !== hash) throw changedMeanwhile(path);
        await writeConfigText(path, next);
        if (location === "working-folder") await rememberTrust(home, await identifyConfig(loaded), log);
        try {
          await reload();
        } catch (error) {
          if ((await readAsIs(path)).text === next) await (exists ? writeConfigText(path, text) : rm(path));
          throw error;
        }
        return { path, hash: hashConfig(next) };
      }),
  };
}

/** Also a file that is broken can be replaced. */
async function readAsIs(path: string): Promise<{ readonly text: string; readonly hash: string }> {
  const text = existsSync(path) ? await readConfigText(path) : "";
  return { text, hash: hashConfig(text) };
}

/** Rules and switches are the owner's: those of a folder's file would not count, or only make things stricter. */
export function ownerPlace(place: FoundConfig, home: Home): FoundConfig {
  if (place.location !== "working-folder") return place;
  return { path: home.file(configName), location: "state-folder" };
}

function changedMeanwhile(path: string): Fault {
  return new Fault("conflict", `${path} has changed since it was shown. Look at it again, then repeat your change.`);
}
