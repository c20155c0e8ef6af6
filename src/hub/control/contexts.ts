import type { Approvals } from "../../catalog/guard/approvals.ts";
import type { AnswerWay } from "../../catalog/guard/approvals-file.ts";
import type { Pins } from "../../catalog/guard/pins.ts";
import type { FoundConfig } from "../../core/config/find-config.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import type { World } from "../../core/process/world.ts";
import type { ServerStatus } from "../../sources/servers/server-status.ts";
import type { Engine } from "../engine/engine.ts";
import type { AgentFlags } from "../engine/open-agent.ts";
import type { OpenedServers } from "../engine/open-servers.ts";
import type { MachineState } from "./settings/machine-state.ts";

interface Place extends Pick<World, "env" | "homedir"> {
  readonly home: Home;
  readonly log: Log;
}

/** What a verb reaches that needs the state folder only. */
export interface FolderContext extends Place, Partial<Pick<World, "stopSignal">> {
  /** Where OpenClaw's conversations are; found by itself unless given. */
  readonly flags?: AgentFlags | undefined;
  /** Those of the engine in this process if there is one, so that an answer counts there at once. */
  openApprovals(): Promise<Approvals>;
  /** How the person answers, for the audit; at a terminal unless given. */
  readonly answersBy?: AnswerWay | undefined;
  openPins(): Promise<Pins>;
  /** The sources that a token can be limited to. */
  views(): Promise<readonly string[]>;
  /** Whether the owner lets calls be approved without a person. */
  allowsUnattended(): Promise<boolean>;
}

/** What a verb reaches that changes the configuration file. */
export interface FileContext extends Place {
  /** The active file, or the one that would be active if it existed. */
  readonly place: FoundConfig;
  readonly servers: { list(): Promise<readonly ServerStatus[]>; connect(name: string): Promise<unknown> };
  /** Applies what the file says now; faults if that can't be used. */
  reload(): Promise<void>;
  /** The state of this computer, as what runs has it. */
  readMachine(): Promise<MachineState>;
}

/** What a verb reaches that needs a running engine. */
export interface HubContext
  extends FolderContext, Omit<FileContext, "servers">, Pick<OpenedServers, "servers" | "signIns"> {
  readonly engine: Engine;
}

/** Opened once for each hub, with its first use; after a failure, with the next one. */
export function perHub<T>(open: (hub: HubContext) => Promise<T>) {
  const opened = new WeakMap<HubContext["engine"], Promise<T>>();
  return {
    of(hub: HubContext): Promise<T> {
      const found = opened.get(hub.engine) ?? open(hub);
      opened.set(hub.engine, found);
      found.catch(() => opened.delete(hub.engine));
      return found;
    },
    /** Undefined if it was not used yet. */
    ifOpened: (hub: HubContext): Promise<T> | undefined => opened.get(hub.engine),
  };
}
