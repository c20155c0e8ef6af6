import { statSync } from "node:fs";
import { join, resolve } from "node:path";

export type ConfigLocation = "flag" | "working-folder" | "state-folder";

export interface FoundConfig {
  readonly path: string;
  readonly location: ConfigLocation;
}

export interface ConfigPlaces {
  /** What `--config` says. */
  readonly flag?: string | undefined;
  readonly cwd: string;
  /** The state folder, which need not exist. */
  readonly home: string;
}

export const configName = "clawport.json5";

/** A file that was named is taken as it is, there or not: whoever reads it says what is wrong. Nothing found is no fault. */
export function findConfig({ flag, cwd, home }: ConfigPlaces): FoundConfig | undefined {
  if (flag) return { path: resolve(cwd, flag), location: "flag" };
  const places: readonly FoundConfig[] = [
    { path: join(cwd, configName), location: "working-folder" },
    { path: join(home, configName), location: "state-folder" },
  ];
  return places.find(({ path }) => statSync(path, { throwIfNoEntry: false }) !== undefined);
}
