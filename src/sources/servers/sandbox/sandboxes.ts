import { join } from "node:path";
import { cageConfigOf, cageText } from "../../../core/config/sandbox-config.ts";
import { serverFileName } from "../../../core/files/server-file-name.ts";
import type { Log } from "../../../core/log.ts";
import type { Cage } from "../../../core/process/cage/cage.ts";
import { knownCageMaker } from "../../../core/process/cage/cage-maker.ts";
import type { Env } from "../../../core/process/child-env.ts";
import { needsNoNamespace } from "../../../core/process/pid-namespace.ts";
import type { ServerDefinition, StdioTarget } from "../definition.ts";
import type { CageTrial } from "./full-cage.ts";

/** Makes the cages that commands run in. */
export interface Sandboxes {
  /** Undefined if the command runs without one. Faults if it must not. `note` gets what is refused later. */
  cageOf(definition: ServerDefinition, note: (line: string) => void, trial?: CageTrial): Promise<Cage | undefined>;
  /** What the server can reach, or why nothing keeps it from anything, in one line; undefined if it is not a command. */
  describe(definition: ServerDefinition): string | undefined;
}

export interface SandboxesOptions {
  /** Folders of Clawport itself that no server may see. */
  ownFolders(): readonly string[];
  /** Files of Clawport elsewhere that no server may write. */
  readonly ownFiles: readonly string[];
  /** Has a folder for each server with a cage of its own. */
  readonly keptFolder: string;
  readonly env: Env;
  readonly homedir: string;
  readonly log: Log;
}

export function createSandboxes({ ownFolders, ownFiles, keptFolder, env, homedir, log }: SandboxesOptions): Sandboxes {
  return {
    async cageOf({ name, transport }, note, trial) {
      if (transport.kind !== "stdio" || whyUncaged(transport) !== undefined) return undefined;
      const { makeStateCage } = await import("../../../core/process/cage/state-cage.ts");
      const uid = process.getuid?.() ?? 0;
      const { command, env: given } = transport;
      const stateCage = makeStateCage({ ownFolders: ownFolders(), ownFiles, env, homedir, uid, command, given });
      const own = cageConfigOf(transport.sandbox);
      if (own === undefined) return stateCage;
      const { makeFullCage } = await import("./full-cage.ts");
      const kept = trial?.kept ?? join(keptFolder, serverFileName(name).replace(/\.json$/, ""));
      return makeFullCage({ target: transport, given: own, kept, stateCage, env, homedir, log, note, trial });
    },
    describe({ transport }) {
      if (transport.kind !== "stdio") return undefined;
      const own = cageConfigOf(transport.sandbox);
      const reason = whyUncaged(transport) ?? knownCageMaker(env)?.refusal;
      if (reason === undefined) return own === undefined ? hidden : cageText(own, homedir);
      return reason === switchedOff ? reason : `none: ${reason}. Run \`clawport doctor\` to see what helps.`;
    },
  };
}

const switchedOff = "off";
const hidden =
  "Clawport's state, the session bus and the display are hidden; local ports and abstract sockets stay open";

/** Why a command runs without a cage whatever the system allows; undefined if it gets one. */
function whyUncaged({ sandbox, command, pidNamespace }: StdioTarget): string | undefined {
  if (sandbox === "off") return switchedOff;
  // One that was asked for is made or refused where the command is started.
  if (sandbox !== "state") return undefined;
  if (process.platform !== "linux") return "this system has no sandbox that Clawport can use";
  if (pidNamespace === "off") return "`pidNamespace` is off";
  const path = command.includes("/") ? command : `/${command}`;
  return needsNoNamespace(path) ? "the command needs setuid programs" : undefined;
}
