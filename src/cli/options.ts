/** Options of every command; they may come before or after its name. */
export const globalOptions = {
  config: {
    type: "string",
    value: "<file>",
    completes: "file",
    description: "use this configuration file",
  },
  home: { type: "string", value: "<folder>", completes: "folder", description: "use this state folder" },
  json: { type: "boolean", description: "print JSON" },
  verbose: { type: "boolean", short: "v", description: "print more; on a failure, print the stack" },
  quiet: { type: "boolean", short: "q", description: "print errors only" },
  help: { type: "boolean", short: "h", description: "show this help" },
  version: { type: "boolean", description: "print the version" },
} as const satisfies OptionTable;

/** For commands that may start the servers of a configuration that comes with the folder. */
export const trustOption = {
  trust: { type: "boolean", description: "trust the configuration in this folder from now on" },
} as const;

export const surfaceOption = {
  surface: {
    type: "string",
    value: "<surface>",
    values: ["auto", "full", "search"],
    description: "list all tools (full), or three that find and call them (search); default: from the configuration",
  },
} as const satisfies OptionTable;

/** Names that only Clawport knows; a completion script asks for them. */
export const knownNames = ["servers", "tools", "servers-and-tools"] as const;

export type KnownNames = (typeof knownNames)[number];

/** The description of an option. Help, completion and parsing all use it. */
export interface OptionSpec {
  readonly type: "boolean" | "string" | "number";
  readonly description: string;
  readonly short?: string;
  /** The value's placeholder in the help: `<file>`. */
  readonly value?: string;
  /** The allowed values. */
  readonly values?: readonly string[];
  /** The smallest and the largest allowed number. */
  readonly range?: readonly [number, number];
  readonly multiple?: boolean;
  /** What the shell completes the value with. */
  readonly completes?: "file" | "folder" | KnownNames;
}

export type OptionTable = Readonly<Record<string, OptionSpec>>;

/** The value of an option after parsing. */
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

/** The given options. */
export type OptionValues<O extends OptionTable> = { readonly [K in keyof O]?: OptionValue<O[K]> };
