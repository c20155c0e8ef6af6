import { Fault } from "../core/fault.ts";
import { nearestName } from "../core/text/nearest-name.ts";
import { quoted } from "../core/text/peer-text.ts";
import type { World } from "../core/process/world.ts";
import { createContext } from "./command-context.ts";
import { commandTable } from "./command-table.ts";
import { type AnyCommand, type Command, type CommandEntry, type CommandGroup, isGroup } from "./command.ts";
import { globalOptions, type OptionTable } from "./options.ts";
import type { HelpRenderOptions } from "./output/help.ts";
import { printFailure } from "./output/print-failure.ts";
import { createStyle, wantsColour } from "./output/style.ts";
import { checkArguments, findFirstPositional, parseCommandLine } from "./parse-command-line.ts";
import { pasteableCommand } from "./output/pasteable.ts";

/** Runs a command line and returns the exit code. It prints failures and never throws. */
export async function runCli(argv: readonly string[], world: World, table = commandTable): Promise<number> {
  try {
    return await dispatch(argv, world, table);
  } catch (error) {
    return printFailure(error, world, { json: argv.includes("--json"), verbose: argv.some(isVerbose) });
  }
}

async function dispatch(argv: readonly string[], world: World, table: readonly CommandEntry[]): Promise<number> {
  const position = findFirstPositional(argv);
  if (position !== undefined && argv[position] === "help") return runHelp(argv.toSpliced(position, 1), world, table);
  if (position === undefined) return runWithoutCommand(argv, world, table);

  const name = argv[position] ?? "";
  const entry = table.find((each) => each.name === name);
  if (entry === undefined) {
    const { aliases } = await import("./aliases.ts");
    const words = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
    if (words !== undefined) return dispatch(argv.toSpliced(position, 1, ...words), world, table);
    refuseUnknownOptions(argv.slice(0, position), "clawport", globalOptions);
    throw unknownCommand("clawport", name, [...table, ...Object.keys(aliases).map(asNamed), asNamed("help")]);
  }
  const { command: loaded } = await entry.load();
  const { command, title, rest } = findSubcommand(loaded, `clawport ${name}`, argv.toSpliced(position, 1));

  const line = parseCommandLine(rest, title, isGroup(command) ? {} : command);
  if (line.globals.version) return printVersion(world, line.globals.json);
  if (line.globals.help) {
    if (!isGroup(command) && command.help !== undefined && line.args.length > 0)
      return (await command.help(createContext(line, world, table))) ?? 0;
    const { renderHelp } = await import("./output/help.ts");
    return printHelp(world, renderHelp(command, title, helpRenderOptions(world)));
  }
  if (isGroup(command)) {
    const names = command.commands.map((each) => each.name);
    throw new Fault("usage", `missing command: one of ${names.join(", ")}; see \`${title} --help\``);
  }
  checkArguments(line.args, title, command.args);
  return (await command.run(createContext(line, world, table))) ?? 0;
}

async function runWithoutCommand(
  argv: readonly string[],
  world: World,
  table: readonly CommandEntry[],
): Promise<number> {
  const line = parseCommandLine(argv, "clawport", {});
  checkArguments(line.args, "clawport");
  if (line.globals.version) return printVersion(world, line.globals.json);
  const { renderOverview } = await import("./output/help.ts");
  return printHelp(world, renderOverview(table, helpRenderOptions(world)));
}

/** `help` alone, with a topic or with a command. A topic comes first: its page lists the command of that name, too. */
async function runHelp(argv: readonly string[], world: World, table: readonly CommandEntry[]): Promise<number> {
  const position = findFirstPositional(argv);
  const name = position === undefined ? undefined : argv[position];
  const isAlone = findFirstPositional(argv.slice((position ?? 0) + 1)) === undefined;
  if (name !== undefined && isAlone) {
    const { renderAllCommands, renderTopic } = await import("./output/help.ts");
    const { helpTopics } = await import("./output/help-topics.ts");
    const topic = helpTopics.find((each) => each.name === name);
    if (topic !== undefined) return printHelp(world, renderTopic(topic, table, helpRenderOptions(world)));
    if (name === "all") {
      const { aliases } = await import("./aliases.ts");
      return printHelp(world, renderAllCommands(table, aliases, helpRenderOptions(world)));
    }
    if (!table.some((entry) => entry.name === name)) await refuseUnknownTopic(name, table);
  }
  return dispatch([...argv, "--help"], world, table);
}

async function refuseUnknownTopic(name: string, table: readonly CommandEntry[]): Promise<void> {
  const { aliases } = await import("./aliases.ts");
  if (Object.hasOwn(aliases, name)) return;
  const { helpTopics } = await import("./output/help-topics.ts");
  throw unknownCommand("clawport", name, [...helpTopics, ...table, ...Object.keys(aliases).map(asNamed)]);
}

/** In a group, the command that was named; the group itself if none was. */
function findSubcommand(
  command: AnyCommand,
  title: string,
  argv: readonly string[],
): { readonly command: AnyCommand; readonly title: string; readonly rest: readonly string[] } {
  if (!isGroup(command)) return { command, title, rest: argv };
  const position = findFirstPositional(argv, groupOptions(command));
  const name = position === undefined ? command.fallback : argv[position];
  if (name === undefined || (position === undefined && argv.some(isHelp))) return { command, title, rest: argv };
  const found = command.commands.find((each) => each.name === name);
  if (found === undefined) {
    refuseUnknownOptions(argv.slice(0, position), title, groupOptions(command));
    throw unknownCommand(title, name, command.commands);
  }
  return {
    command: found,
    title: `${title} ${name}`,
    rest: position === undefined ? argv : argv.toSpliced(position, 1),
  };
}

function groupOptions(group: CommandGroup): OptionTable {
  return Object.fromEntries(
    [...group.commands, { options: globalOptions }].flatMap(({ options }) => Object.entries(options ?? {})),
  );
}

/** A word that is no command may be the value of an option before it that does not exist. */
function refuseUnknownOptions(before: readonly string[], title: string, options: OptionTable): void {
  parseCommandLine(before, title, { options });
}

function unknownCommand(title: string, name: string, known: readonly Pick<Command, "name">[]): Fault {
  const nearest = nearestName(
    name,
    known.map((each) => each.name),
  );
  const hint = nearest === undefined ? `see \`${title} --help\`` : `did you mean "${nearest}"?`;
  return new Fault("usage", `unknown command ${quoted(name)}; ${hint}`);
}

function asNamed(name: string): Pick<Command, "name"> {
  return { name };
}

async function printVersion(world: World, json: boolean | undefined): Promise<number> {
  const { readVersion } = await import("../core/version.ts");
  return printText(world, json ? JSON.stringify({ version: readVersion() }) : readVersion());
}

async function printHelp(world: World, text: string): Promise<number> {
  return printText(world, pasteableCommand(text, world));
}

function printText(world: World, text: string): number {
  world.stdout.write(`${text}\n`);
  return 0;
}

function helpRenderOptions(world: World): HelpRenderOptions {
  return { style: createStyle(wantsColour(world.stdout, world.env)), width: world.stdout.columns };
}

function isVerbose(arg: string): boolean {
  return arg === "--verbose" || /^-[a-z]*v[a-z]*$/.test(arg);
}

function isHelp(arg: string): boolean {
  return arg === "--help" || /^-[a-z]*h[a-z]*$/.test(arg);
}
