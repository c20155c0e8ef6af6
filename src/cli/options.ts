/** Options that every command takes, before or after its name. */
export const globalOptions = {
  config: {
    type: "string",
    value: "<file>",
    completes: "file",
    description: "read this configuration instead of the one that would be found",
  },
  home: { type: "string", value: "<folder>", completes: "folder", description: "keep state in this folder" },
  json: { type: "boolean", description: "print JSON for a program to read" },
  verbose: { type: "boolean", short: "v", description: "say more; on a failure, show the stack" },
  quiet: { type: "boolean", short: "q", description: "say only what went wrong" },
  help: { type: "boolean", short: "h", description: "show this help" },
  version: { type: "boolean", description: "print the version" },
} as const satisfies OptionTable;

/** For commands that may start servers of a configuration that came with its folder. */
export const trustOption = {
  trust: { type: "boolean", description: "trust the configuration in this folder, also next time" },
} as const;

/** One option of a command. Help, completion and checking all read this. */
export interface OptionSpec {
  readonly type: "boolean" | "string" | "number";
  readonly description: string;
  readonly short?: string;
  /** What stands for the value in the help: `<file>`. */
  readonly value?: string;
  /** The only values it takes. */
  readonly values?: readonly string[];
  /** The least and the most a number may be. */
  readonly range?: readonly [number, number];
  readonly multiple?: boolean;
  /** What a shell offers for the value. */
  readonly completes?: "file" | "folder";
}

export type OptionTable = Readonly<Record<string, OptionSpec>>;

/** What an option can hold once it was read. */
export type ParsedOptionValue = boolean | number | string | readonly string[];

export interface ValueOfType {
  readonly boolean: boolean;
  readonly number: number;
  readonly string: string;
}

export type OptionValue<O extends OptionSpec> = OptionSpec extends O
  ? ParsedOptionValue
  : O extends { readonly multiple: true }
    ? readonly string[]
    : ValueOfType[O["type"]];

/** What was given for each option; absent when it was not given. */
export type OptionValues<O extends OptionTable> = { readonly [K in keyof O]?: OptionValue<O[K]> };
