import type { GivenValue, OptionValues } from "./command.ts";
import type { globalOptions } from "./global-options.ts";

/** What was typed after the command's name, sorted. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, GivenValue>>;
  readonly globals: OptionValues<typeof globalOptions>;
}
