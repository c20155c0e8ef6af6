import { type AnyCommand, type Command, type CommandEntry, isGroup } from "../command.ts";
import { globalOptions, type OptionSpec, type OptionTable } from "../options.ts";
import { describeArgument } from "../parse-command-line.ts";
import { firstCommands, type HelpTopic, helpTopics } from "./help-topics.ts";
import type { Style } from "./style.ts";

/** The help of the program, which `clawport` without a command prints: where to start, and where the rest is. */
export function renderOverview(table: readonly CommandEntry[], options: HelpRenderOptions): string {
  const first = firstCommands.flatMap((name) => table.find((entry) => entry.name === name) ?? []);
  const topics = [...helpTopics, { name: "all", summary: "every command and option" }];
  const width = longestName([...first, ...topics]);
  return sections(options, [
    ["", "One local MCP endpoint for all your servers, with approvals and an audit log."],
    ["Usage", "  clawport <command> [options]"],
    ["Commands", renderNamed(first, width, options)],
    ["Topics, with `clawport help <topic>`", renderNamed(topics, width, options)],
    ["", "Run `clawport <command> --help` for help on a command."],
  ]);
}

/** Every command under its topic, the other names, and the options that all commands take. */
export function renderAllCommands(
  table: readonly CommandEntry[],
  aliases: Readonly<Record<string, readonly string[]>>,
  options: HelpRenderOptions,
): string {
  const width = longestName(table);
  const topics = Array.from(
    Map.groupBy(table, ({ topic = "other" }) => topic),
    ([topic, entries]) => [capital(topic), renderNamed(entries, width, options)] as const,
  );
  return sections(options, [
    ...topics,
    ["Other names", renderDefinitions(aliasEntries(aliases), options.width)],
    ["Options", renderOptions(globalOptions, options.width)],
    ["", "Run `clawport <command> --help` for help on a command."],
  ]);
}

/** The commands of one topic, and the page that says more. */
export function renderTopic(topic: HelpTopic, table: readonly CommandEntry[], options: HelpRenderOptions): string {
  const entries = table.filter((entry) => entry.topic === topic.name);
  return sections(options, [
    ["", capitalised(topic.summary)],
    ["Commands", renderNamed(entries, longestName(entries), options)],
    ["", `Run \`clawport <command> --help\` for help on a command. ${topic.page} says more.`],
  ]);
}

interface Named {
  readonly name: string;
  readonly summary: string;
}

/** Descriptions of several sections stand in one column, so the width of the names is given. */
function renderNamed(entries: readonly Named[], longest: number, options: HelpRenderOptions): string {
  const rows = entries.map(({ name, summary }) => [name.padEnd(longest), summary] as const);
  return renderDefinitions(rows, options.width);
}

function longestName(entries: readonly Named[]): number {
  return Math.max(0, ...entries.map(({ name }) => name.length));
}

function aliasEntries(aliases: Readonly<Record<string, readonly string[]>>): (readonly [string, string])[] {
  return Object.entries(aliases).map(([name, words]) => [name, words.join(" ")]);
}

/** The help of one command; `title` is its full name, such as `clawport token add`. */
export function renderHelp(command: AnyCommand, title: string, options: HelpRenderOptions): string {
  const examples = command.examples?.map((line) => `  ${line}`).join("\n");
  if (isGroup(command)) {
    return sections(options, [
      ["", capitalised(command.summary)],
      ["Usage", command.commands.map((each) => `  ${usageLine(each, `${title} ${each.name}`)}`).join("\n")],
      [
        "Commands",
        renderDefinitions(
          command.commands.map(({ name, summary }) => [name, summary]),
          options.width,
        ),
      ],
      ["Examples", examples],
      ["Global options", renderOptions(globalOptions, options.width)],
    ]);
  }
  const args = (command.args ?? []).map((spec) => [`<${spec.name}>`, describeArgument(spec)] as const);
  return sections(options, [
    ["", capitalised(command.summary)],
    ["Usage", `  ${usageLine(command, title)}`],
    ["Arguments", renderDefinitions(args, options.width)],
    ["Options", renderOptions(command.options ?? {}, options.width)],
    ["Examples", examples],
    ["Global options", renderOptions(globalOptions, options.width)],
  ]);
}

export interface HelpRenderOptions {
  readonly style: Style;
  /** Columns of the terminal. */
  readonly width?: number | undefined;
}

function usageLine(command: Command, title: string): string {
  const args = (command.args ?? [])
    .map(({ name, optional, rest }) => ` ${optional ? `[<${name}>]` : `<${name}>`}${rest ? " …" : ""}`)
    .join("");
  return `${title}${args}${command.options === undefined ? "" : " [options]"}`;
}

function renderOptions(options: OptionTable, width: number | undefined): string {
  const entries = Object.entries(options).map(
    ([name, spec]) => [optionName(name, spec), optionDescription(spec)] as const,
  );
  return renderDefinitions(entries, width);
}

function optionName(name: string, spec: OptionSpec): string {
  const value = spec.type === "boolean" ? "" : ` ${spec.value ?? "<value>"}`;
  return `${spec.short === undefined ? "    " : `-${spec.short}, `}--${name}${value}`;
}

function optionDescription(spec: OptionSpec): string {
  const values = spec.values === undefined ? "" : ` (${spec.values.join(", ")})`;
  return `${spec.description}${values}${spec.multiple ? "; repeatable" : ""}`;
}

function sections(options: HelpRenderOptions, parts: readonly (readonly [string, string | undefined])[]): string {
  return parts
    .filter(([, body]) => body !== undefined && body !== "")
    .map(([title, body]) => (title === "" ? body : `${options.style.bold(title)}\n${body}`))
    .join("\n\n");
}

function capitalised(text: string): string {
  return `${capital(text)}.`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Names on the left, descriptions on the right, wrapped to the width. */
function renderDefinitions(entries: readonly (readonly [string, string])[], width = 80): string {
  const left = Math.max(0, ...entries.map(([name]) => name.length)) + 4;
  return entries
    .map(([name, description]) => {
      const [first = "", ...rest] = wrapText(description, Math.max(24, width - left));
      return [`  ${name.padEnd(left - 2)}${first}`, ...rest.map((line) => " ".repeat(left) + line)]
        .join("\n")
        .trimEnd();
    })
    .join("\n");
}

function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
