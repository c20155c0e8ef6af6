import type { Asker } from "../../catalog/guard/askers.ts";
import type { LiveLog, LogLevel } from "../../core/log.ts";
import type { World } from "../../core/process/world.ts";

/** The program that runs an engine: the command line, or OpenClaw with the plugin in it. */
export interface Host extends Pick<World, "env" | "cwd" | "homedir" | "stopSignal"> {
  readonly log: LiveLog;
  readonly globals: {
    /** The configuration file to use instead of the one that would be found. */
    readonly config?: string | undefined;
    /** The state folder to use. */
    readonly home?: string | undefined;
    readonly verbose?: boolean | undefined;
  };
  /** The level that the user asked for; it takes precedence over the configuration's. */
  readonly logLevel: LogLevel | undefined;
  /** Whether a user is there who can answer questions. */
  readonly isAttended: boolean;
  /** Asks the user; undefined if no one can answer. */
  ask(question: string): Promise<string | undefined>;
  /** Shows the user what is being waited for. */
  showWhile<T>(text: string, work: Promise<T>): Promise<T>;
  /** Puts the guard's questions to the user. */
  createAsker(): Promise<Asker>;
}
