import { createLiveLog, type LiveLog, type LogLevel } from "../core/log.ts";
import { jsonText } from "../core/text/peer-text.ts";
import { isInteractive, type World } from "../core/process/world.ts";
import type { Host } from "../hub/state/host.ts";
import type { CommandEntry } from "./command.ts";
import type { OptionTable, OptionValues } from "./options.ts";
import { pasteable } from "./output/pasteable.ts";
import { createStyle, type Style, wantsColour } from "./output/style.ts";
import type { ParsedCommandLine } from "./parse-command-line.ts";

/** What a command gets: its arguments and options, the outside world, and ways to answer. */
export interface CommandContext<O extends OptionTable = OptionTable> extends World, Host {
  readonly args: readonly string[];
  readonly options: OptionValues<O>;
  readonly globals: ParsedCommandLine["globals"];
  readonly json: boolean;
  readonly style: Style;
  readonly log: LiveLog;
  /** All commands, for the completion scripts. */
  readonly commandTable: readonly CommandEntry[];
  /** Prints the answer: the data with `--json`, else the text. */
  answer(data: unknown, text: string): void;
  /** The same for a text of another program or of the user, in which nothing is a hint of ours. */
  answerAsIs(data: unknown, text: string): void;
  /** Prints a line for the user, but not with `--json` or `-q`. */
  say(line: string): void;
  /** Asks the user at the terminal; undefined without a terminal, or when the signal aborts. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
}

export function createContext(
  line: ParsedCommandLine,
  world: World,
  commandTable: readonly CommandEntry[],
): CommandContext {
  const { globals } = line;
  const json = globals.json === true;
  const answerAsIs = (data: unknown, text: string): void =>
    void world.stdout.write(`${json ? jsonText(data) : text}\n`);
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
      level: requestedLogLevel(globals) ?? "info",
      format: "human",
      color: wantsColour(world.stderr, world.env),
      write: (text) => world.stderr.write(`${pasteable(text, world)}\n`),
    }),
    answer: (data, text) => answerAsIs(data, pasteable(text, world)),
    answerAsIs,
    say: (text) => void (json || globals.quiet || world.stdout.write(`${pasteable(text, world)}\n`)),
    ask: (question, signal) => askAtPrompt(world, question, signal),
    logLevel: requestedLogLevel(globals),
    // Looking at stdin opens it, which takes a few milliseconds: only when asked.
    get isAttended() {
      return isInteractive(world);
    },
    async showWhile(text, work) {
      if (json || globals.quiet) return work;
      const { showStatusWhile } = await import("./terminal/status-line.ts");
      return showStatusWhile(world.stderr, text, work);
    },
    async createAsker() {
      const { createTerminalAsker } = await import("./terminal/terminal-asker.ts");
      return createTerminalAsker(world);
    },
  };
}

/** The log level from the command line, which takes precedence over the configuration's. */
function requestedLogLevel(globals: ParsedCommandLine["globals"]): LogLevel | undefined {
  if (globals.verbose) return "debug";
  return globals.quiet ? "error" : undefined;
}

async function askAtPrompt(world: World, question: string, signal?: AbortSignal): Promise<string | undefined> {
  if (!isInteractive(world)) return undefined;
  const { readLine } = await import("./terminal/read-line.ts");
  const start = question.lastIndexOf("\n") + 1;
  if (start > 0) {
    const { showPages } = await import("./terminal/show-pages.ts");
    const outcome = await showPages(world, question.slice(0, start - 1), signal);
    if (outcome !== "shown") return outcome === "refused" ? "no" : undefined;
  }
  world.stderr.write(question.slice(start));
  return readLine(world.stdin, signal);
}
