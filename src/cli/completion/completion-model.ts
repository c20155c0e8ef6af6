import { type AnyCommand, type Command, isGroup } from "../command.ts";
import { globalOptions, type KnownNames, knownNames, type OptionSpec, type OptionTable } from "../options.ts";

interface CompletionWord {
  readonly word: string;
  readonly summary: string;
}

export interface CompletionOption {
  readonly name: string;
  readonly spec: OptionSpec;
}

/** What may follow a path of command names; the empty path is the program itself. */
export interface CompletionNode {
  readonly path: string;
  readonly words: readonly CompletionWord[];
  readonly options: readonly CompletionOption[];
  /** The names that its arguments are completed with. */
  readonly names?: KnownNames | undefined;
}

/** The command that prints these names, one a line. */
export function namesCommand(names: KnownNames): string {
  return `clawport completion --names ${names} 2>/dev/null`;
}

/** Whether the values of an option are names that only Clawport knows. */
export function knownNamesOf({ completes }: OptionSpec): KnownNames | undefined {
  return knownNames.find((names) => names === completes);
}

/** Everything a shell needs to complete commands and options. */
export function completionModel(
  commands: readonly AnyCommand[],
  aliases: Readonly<Record<string, readonly string[]>> = {},
): readonly CompletionNode[] {
  const others = Object.entries(aliases).flatMap(([name, [target]]) => {
    const command = commands.find((each) => each.name === target);
    return command === undefined || isGroup(command) ? [] : [{ ...command, name }];
  });
  return [
    { path: "", words: [...commands, ...others].map(asWord), options: optionsOf({}) },
    ...others.map((command) => commandNode(command, command.name)),
    ...commands.flatMap((command) =>
      isGroup(command)
        ? [
            { path: command.name, words: command.commands.map(asWord), options: optionsOf({}) },
            ...command.commands.map((each) => commandNode(each, `${command.name} ${each.name}`)),
          ]
        : [commandNode(command, command.name)],
    ),
  ];
}

/** Every way to write the options that take a value, so that a script can tell the value from a command's name. */
export function valueOptions(nodes: readonly CompletionNode[]): string[] {
  const taking = nodes.flatMap(({ options }) => options.filter(({ spec }) => spec.type !== "boolean"));
  return [...new Set(taking.flatMap(spellings))];
}

/** `--verbose` and `-v`. */
export function spellings({ name, spec }: CompletionOption): string[] {
  return spec.short === undefined ? [`--${name}`] : [`--${name}`, `-${spec.short}`];
}

function commandNode(command: Command, path: string): CompletionNode {
  const words = (command.args?.[0]?.values ?? []).map((word) => ({ word, summary: command.args?.[0]?.name ?? "" }));
  return { path, words, options: optionsOf(command.options ?? {}), names: command.args?.[0]?.completes };
}

function asWord({ name, summary }: AnyCommand): CompletionWord {
  return { word: name, summary };
}

function optionsOf(own: OptionTable): readonly CompletionOption[] {
  return Object.entries({ ...own, ...globalOptions }).map(([name, spec]) => ({ name, spec }));
}
