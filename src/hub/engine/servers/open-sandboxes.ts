import type { Home } from "../../../core/files/home.ts";
import type { Log } from "../../../core/log.ts";
import type { Env } from "../../../core/process/child-env.ts";
import { createSandboxes, type Sandboxes } from "../../../sources/servers/sandbox/sandboxes.ts";
import { shortSocketFolders } from "../hub-socket.ts";

export interface SandboxPlace {
  readonly home: Home;
  /** A configuration that was given by its path: what a server writes into it would run outside of its cage. */
  readonly givenConfig?: string | undefined;
  /** What commands get of Clawport's environment. */
  readonly env: Env;
  readonly homedir: string;
  readonly log: Log;
}

/** The cages of this state folder's servers, which never see it. */
export function openSandboxes({ home, givenConfig, env, homedir, log }: SandboxPlace): Sandboxes {
  return createSandboxes({
    ownFolders: () => ownFolders(home, env),
    ownFiles: givenConfig === undefined ? [] : [givenConfig],
    keptFolder: home.file("sandbox"),
    env,
    homedir,
    log,
  });
}

/** Folders of Clawport itself: the state folder, and where its sockets may be. */
export function ownFolders(home: Home, env: Env): readonly string[] {
  return [home.path, ...shortSocketFolders(home, env)];
}
