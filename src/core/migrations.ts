/**
 * One step of a state folder from one version to the next. A step may be run again on what it already changed: a crash
 * between it and the note that it is done, or a damaged version file, leads to that.
 */
export interface Migration {
  /** The version the folder has afterwards. */
  readonly to: number;
  run(folder: string): Promise<void>;
}

/** In order, each one version further than the last. Version 1 is the first there was and needs no step. */
export const migrations: readonly Migration[] = [];
