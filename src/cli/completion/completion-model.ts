import { type AnyCommand, type Command, isGroup } from "../command.ts";
import { globalOptions, type OptionSpec, type OptionTable } from "../options.ts";

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
}

/** Everything a shell needs to complete commands and options. */
export function completionModel(commands: readonly AnyCommand[]): readonly CompletionNode[] {
  return [
    { path: "", words: commands.map(asWord), options: optionsOf({}) },
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
  return { path, words, options: optionsOf(command.options ?? {}) };
}

function asWord({ name, summary }: AnyCommand): CompletionWord {
  return { word: name, summary };
}

function optionsOf(own: OptionTable): readonly CompletionOption[] {
  return Object.entries({ ...own, ...globalOptions }).map(([name, spec]) => ({ name, spec }));
}
