import type { CommandContext } from "./command-context.ts";
import type { KnownNames, OptionTable } from "./options.ts";

interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  readonly optional?: boolean;
  /** Takes all remaining words; only the last argument can. */
  readonly rest?: boolean;
  /** Its words may be a command with its own options, which then comes after `--`. */
  readonly isCommand?: boolean;
  readonly values?: readonly string[];
  /** What the shell completes it with. */
  readonly completes?: KnownNames;
}

/** The description of a command. `--help`, completion and the parsing of the command line all use it. */
export interface Command<O extends OptionTable = OptionTable> {
  readonly name: string;
  readonly summary: string;
  readonly options?: O;
  readonly args?: readonly ArgumentSpec[];
  readonly examples?: readonly string[];
  /** Returns the exit code; undefined means 0. */
  run(context: CommandContext<O>): Promise<number | void>;
  /** Answers `--help` after an argument, where that says more than the description: `call <tool> --help`. */
  help?(context: CommandContext<O>): Promise<number | void>;
}

/** Commands under one name: `token add`, `token list`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly examples?: readonly string[];
  readonly commands: readonly Command[];
  /** The command that runs if none is named. */
  readonly fallback?: string;
}

export type AnyCommand = Command | CommandGroup;

/** A command that is not loaded yet. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** The topic that the help has it under, one of `help-topics.ts`. */
  readonly topic?: string;
  load(): Promise<{ readonly command: AnyCommand }>;
}

export function isGroup(command: AnyCommand): command is CommandGroup {
  return "commands" in command;
}

/** Lets TypeScript infer the option values that `run` receives from `options`. */
export function defineCommand<const O extends OptionTable>(command: Command<O>): Command {
  return command;
}
