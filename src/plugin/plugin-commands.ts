import { toFault } from "../core/fault.ts";
import type { LiveLog } from "../core/log.ts";
import type { Env } from "../core/process/child-env.ts";
import type { Engine } from "../hub/engine/engine.ts";
import type { ConfigEditor } from "../hub/verbs/connect.ts";
import type { ReplyOptions } from "../sources/agent/reply-backend.ts";
import { createPluginEditor } from "./config-writer.ts";
import { controlWith, type Keeper, keeperText } from "./keeper.ts";
import type { OpenClawConfigRuntime } from "./openclaw-api.ts";
import type { PluginConfig } from "./plugin-config.ts";

/** Who types a command. */
export interface CommandSender {
  readonly sender: string | undefined;
  readonly isAuthorized: boolean;
}

export interface PluginCommandsOptions {
  /** OpenClaw's configuration file. */
  readonly configPath: string;
  readonly env: Env;
  readonly log: LiveLog;
  readonly configuration: Pick<PluginConfig, "problem" | "current">;
  engine(): Engine;
  keeper(): Keeper;
  runtime(): OpenClawConfigRuntime;
  /** The plugin's part of OpenClaw's configuration, as it is now. */
  readOwn(): Readonly<Record<string, unknown>>;
  /** Called with what a command wrote into it. */
  onWritten(config: Readonly<Record<string, unknown>>): void;
}

/** Answers `/mcp …`. */
export function createPluginCommands(options: PluginCommandsOptions) {
  const { configPath, env, log, configuration, engine, keeper } = options;

  return async (text: string, { sender, isAuthorized }: CommandSender): Promise<string> => {
    const { createMcpCommand } = await import("../hub/verbs/mcp-command.ts");
    const running = engine();
    const mcp = createMcpCommand({
      control: async () => controlWith(await running.control(), keeper(), configuration.current()),
      async settled() {
        await running.servers();
        await running.settled(10_000);
      },
      guard: running.guard,
      openEditor: (signal) => Promise.resolve(openEditor(signal)),
    });
    const order: ReplyOptions = {
      caller: { door: "plugin", ...(sender !== undefined && { sender }), isOwner: isAuthorized },
      // They typed what is to be done.
      approval: isAuthorized ? "once" : undefined,
      signal: new AbortController().signal,
      log,
      onPartial: () => {},
      onBlock: () => {},
      onToolResult: () => {},
      onActivity: () => {},
      ask: () => Promise.reject(toFault(new Error("no one can be asked"))),
      canAsk: false,
    };
    try {
      const { text: answer = "" } = await mcp(text, order);
      return [...notes(text), answer].join("\n");
    } catch (error) {
      return toFault(error).message;
    }
  };

  /** What the reader should know besides. */
  function notes(text: string): readonly string[] {
    const problem = configuration.problem();
    return [
      ...(problem === undefined ? [] : [problem, ""]),
      ...(/^\s*status\s*$/.test(text) ? [keeperText(keeper()), ""] : []),
    ];
  }

  function openEditor(signal: AbortSignal): ConfigEditor {
    const quiet = { ask: () => Promise.resolve(undefined), showWhile: <T>(_: string, work: Promise<T>) => work };
    const host = { env, log, globals: {}, stopSignal: () => signal, ...quiet };
    return createPluginEditor({
      runtime: options.runtime,
      onWritten: options.onWritten,
      async check(name, settings) {
        const { tryServer } = await import("../hub/config-editor.ts");
        const raw = JSON.stringify(options.readOwn());
        return tryServer(host, { path: configPath, text: raw, name, settings });
      },
    });
  }
}
