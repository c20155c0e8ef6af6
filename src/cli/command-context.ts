import type { LogLevel } from "../core/log.ts";
import type { CommandLine } from "./command-line.ts";
import type { CommandEntry, OptionTable, OptionValues } from "./command.ts";
import { isAttended } from "./is-attended.ts";
import type { LiveLog } from "./live-log.ts";
import { createLiveLog } from "./live-log.ts";
import type { Style } from "./output/style.ts";
import { createStyle, wantsColour } from "./output/style.ts";
import type { World } from "./world.ts";

/** What a command is given: what was typed, the outside world, and a place to answer. */
export interface CommandContext<O extends OptionTable = OptionTable> extends World {
  readonly args: readonly string[];
  readonly options: OptionValues<O>;
  readonly globals: CommandLine["globals"];
  readonly json: boolean;
  readonly style: Style;
  readonly log: LiveLog;
  /** All commands there are. */
  readonly commandTable: readonly CommandEntry[];
  /** Prints one answer: data for a program under `--json`, else text for a person. */
  answer(data: unknown, text: string): void;
  /** One line for a person, left out under `--json` and `-q`. */
  say(line: string): void;
  /** Puts a question to the person at the terminal; nothing when nobody is there. */
  ask(question: string): Promise<string | undefined>;
}

export function createContext(line: CommandLine, world: World, commandTable: readonly CommandEntry[]): CommandContext {
  const { globals } = line;
  const json = globals.json === true;
  return {
    env: world.env,
    cwd: world.cwd,
    homedir: world.homedir,
    platform: world.platform,
    program: world.program,
    get stdin() {
      return world.stdin;
    },
    stdout: world.stdout,
    stderr: world.stderr,
    stopSignal: () => world.stopSignal(),
    ...line,
    json,
    commandTable,
    style: createStyle(wantsColour(world.stdout, world.env)),
    log: createLiveLog({
      level: asked(globals) ?? "info",
      format: "human",
      color: wantsColour(world.stderr, world.env),
      write: (text) => world.stderr.write(`${text}\n`),
    }),
    answer: (data, text) => void world.stdout.write(`${json ? JSON.stringify(data) : text}\n`),
    say: (text) => void (json || globals.quiet || world.stdout.write(`${text}\n`)),
    ask: (question) => askPerson(world, question),
  };
}

/** The log level that the command line asks for; it goes before the configuration's. */
export function asked(globals: CommandLine["globals"]): LogLevel | undefined {
  if (globals.verbose) return "debug";
  return globals.quiet ? "error" : undefined;
}

async function askPerson(world: World, question: string): Promise<string | undefined> {
  if (!isAttended(world)) return undefined;
  const { readLine } = await import("./read-line.ts");
  world.stderr.write(question);
  return readLine(world.stdin);
}
