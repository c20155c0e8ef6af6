import type { CommandContext } from "./command-context.ts";
import type { OptionTable } from "./options.ts";

interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  readonly optional?: boolean;
  /** Takes all words that are left; only the last one can. */
  readonly rest?: boolean;
  /** Its words may be a command with options of its own, which then stands behind `--`. */
  readonly isCommand?: boolean;
  readonly values?: readonly string[];
}

/** A command, described once: `--help`, completion and the check of what was typed all come from this. */
export interface Command<O extends OptionTable = OptionTable> {
  readonly name: string;
  readonly summary: string;
  readonly options?: O;
  readonly args?: readonly ArgumentSpec[];
  readonly examples?: readonly string[];
  /** Returns the exit code; nothing means 0. */
  run(context: CommandContext<O>): Promise<number | void>;
}

/** Commands under one name: `token add`, `token list`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly examples?: readonly string[];
  readonly commands: readonly Command[];
  /** Which of them runs when none is named. */
  readonly fallback?: string;
}

export type AnyCommand = Command | CommandGroup;

/** A command before it is loaded: what the help shows, and how to get the rest. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<{ readonly command: AnyCommand }>;
}

export function isGroup(command: AnyCommand): command is CommandGroup {
  return "commands" in command;
}

/** Lets TypeScript infer the option values that `run` receives from the option table beside it. */
export function defineCommand<const O extends OptionTable>(command: Command<O>): Command {
  return command;
}
