import { parseArgs } from "node:util";
import { Fault } from "../core/fault.ts";
import { nearestName } from "../core/text/nearest-name.ts";
import { quoted } from "../core/text/peer-text.ts";
import type { Command } from "./command.ts";
import {
  globalOptions,
  type OptionSpec,
  type OptionTable,
  type OptionValues,
  type ParsedOptionValue,
} from "./options.ts";

/** The index of the first word that is neither an option nor an option's value. */
export function findFirstPositional(argv: readonly string[], options: OptionTable = globalOptions): number | undefined {
  for (let index = 0; index < argv.length; index++) {
    const arg = argv[index] ?? "";
    if (arg === "--") return undefined;
    if (!arg.startsWith("-") || arg === "-") return index;
    if (takesValue(arg, options)) index++;
  }
  return undefined;
}

function takesValue(arg: string, options: OptionTable): boolean {
  const [name, spec] =
    Object.entries(options).find(([name, { short }]) => arg === `--${name}` || arg === `-${short}`) ?? [];
  return name !== undefined && spec?.type !== "boolean";
}

/** Splits the words after the command's name into arguments and options, or throws a usage fault. */
export function parseCommandLine(
  argv: readonly string[],
  title: string,
  command: Pick<Command, "options" | "args">,
): ParsedCommandLine {
  const own = command.options ?? {};
  const table: OptionTable = { ...globalOptions, ...own };
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    allowNegative: false,
    options: Object.fromEntries(Object.entries(table).map(([name, spec]) => [name, parserOption(spec)])),
  });
  const args: string[] = [];
  const options: Record<string, ParsedOptionValue> = {};
  const globals: Record<string, ParsedOptionValue> = {};
  for (const token of tokens) {
    if (token.kind === "positional") args.push(token.value);
    if (token.kind !== "option") continue;
    const spec = table[token.name];
    if (spec === undefined) {
      const words = command.args?.at(-1)?.isCommand ? args : [];
      throw unknownOption(token.rawName, title, table, words);
    }
    const value = optionValue(token.rawName, spec, token.value, title);
    const target = token.name in own ? options : globals;
    const before = target[token.name];
    target[token.name] = spec.multiple ? [...(Array.isArray(before) ? before : []), String(value)] : value;
  }
  return { args, options, globals };
}

/** What an argument is, with the values that it takes. */
export function describeArgument({ description, values }: NonNullable<Command["args"]>[number]): string {
  return values === undefined ? description : `${description} (${values.join(", ")})`;
}

/** Checks the arguments. Not part of the parsing, since `--help` must work without them. */
export function checkArguments(args: readonly string[], title: string, specs: Command["args"] = []): void {
  for (const [index, spec] of specs.entries()) {
    const value = args[index];
    if (value === undefined && !spec.optional)
      throw new Fault("usage", `missing argument <${spec.name}>: ${describeArgument(spec)}; see \`${title} --help\``);
    if (value !== undefined && spec.values !== undefined && !spec.values.includes(value))
      throw new Fault("usage", `<${spec.name}> must be one of ${spec.values.join(", ")}, not ${quoted(value)}`);
  }
  const extra = specs.at(-1)?.rest ? undefined : args[specs.length];
  if (extra !== undefined) throw new Fault("usage", `unexpected argument ${quoted(extra)}; see \`${title} --help\``);
}

function parserOption(spec: OptionSpec): { type: "boolean" | "string"; short?: string } {
  const type = spec.type === "boolean" ? "boolean" : "string";
  return spec.short === undefined ? { type } : { type, short: spec.short };
}

function optionValue(
  rawName: string,
  spec: OptionSpec,
  value: string | undefined,
  title: string,
): boolean | number | string {
  if (spec.type === "boolean") {
    if (value !== undefined) throw new Fault("usage", `${rawName} takes no value; see \`${title} --help\``);
    return true;
  }
  if (value === undefined) throw new Fault("usage", `${rawName} needs a value: ${rawName} ${spec.value ?? "<value>"}`);
  if (spec.values !== undefined && !spec.values.includes(value))
    throw new Fault("usage", `${rawName} must be one of ${spec.values.join(", ")}, not ${quoted(value)}`);
  if (spec.type === "string") return value;
  const [min, max] = spec.range ?? [0, 999_999_999];
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max))
    throw new Fault("usage", `${rawName} must be a whole number from ${min} to ${max}, not ${quoted(value)}`);
  return number;
}

/** `words` are the start of a command that the option may belong to. */
function unknownOption(rawName: string, title: string, table: OptionTable, words: readonly string[]): Fault {
  const nearest = nearestName(
    rawName,
    Object.keys(table).map((name) => `--${name}`),
  );
  const [first] = words;
  const see =
    first === undefined || first.includes("://")
      ? `see \`${title} --help\``
      : `if it belongs to the command, write \`${title} -- ${[...words, rawName].join(" ")} …\``;
  const hint = nearest === undefined ? see : `did you mean "${nearest}"?`;
  return new Fault("usage", `unknown option "${rawName}"; ${hint}`);
}

/** The words after the command's name. */
export interface ParsedCommandLine {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, ParsedOptionValue>>;
  readonly globals: OptionValues<typeof globalOptions>;
}
