import type { Caller } from "../catalog/caller.ts";
import { toFault } from "../core/fault.ts";
import type { LiveLog } from "../core/log.ts";
import type { Env } from "../core/process/child-env.ts";
import type { HubControl } from "../hub/control/hub-control.ts";
import type { Engine } from "../hub/engine/engine.ts";
import type { ConfigEditor } from "../hub/verbs/connect.ts";
import type { ReplyOptions } from "../sources/agent/reply-backend.ts";
import { controlForAgent } from "./agent-control.ts";
import { createPluginEditor } from "./config-writer.ts";
import { publishedName } from "./entries/published.ts";
import { controlWith, type Keeper, keeperText } from "./keeper.ts";
import type { CommandContext, OpenClawConfigRuntime } from "./openclaw-api.ts";
import type { PluginConfig } from "./plugin-config.ts";

/** Who runs a command. */
export interface CommandCaller {
  readonly caller: Omit<Caller, "door">;
  /** The person has typed this very command, or approved that an agent runs it. */
  readonly isApproved: boolean;
}

/** The person who typed a command. Only the owner's own words count as an approval. */
export function typedBy({ channel, senderId, senderIsOwner }: CommandContext): CommandCaller {
  const sender = senderId === undefined ? undefined : channel === undefined ? senderId : `${channel}:${senderId}`;
  const isOwner = senderIsOwner === true;
  return { caller: { ...(sender !== undefined && { sender }), isOwner }, isApproved: isOwner };
}

export interface PluginCommandsOptions {
  /** OpenClaw's configuration file. */
  readonly configPath: string;
  readonly env: Env;
  readonly log: LiveLog;
  readonly configuration: Pick<PluginConfig, "problem" | "current">;
  mayUse(agent: string | undefined, server: string): boolean;
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

  return async (given: string, { caller, isApproved }: CommandCaller): Promise<string> => {
    const text = given.trim() === "" ? "servers" : given;
    const { createMcpCommand } = await import("../hub/verbs/mcp-command.ts");
    const running = engine();
    const mcp = createMcpCommand({
      control: async () => limited(controlWith(await running.control(), keeper(), configuration.current()), caller),
      async settled() {
        await running.servers();
        await running.settled(10_000);
      },
      guard: running.guard,
      openEditor: (signal) => Promise.resolve(openEditor(signal)),
    });
    const order: ReplyOptions = {
      caller: { ...caller, door: "plugin" },
      approval: isApproved ? "once" : undefined,
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

  /** The owner sees everything, an agent what it may use. */
  function limited(control: HubControl, { agent, isOwner }: Omit<Caller, "door">): HubControl {
    if (agent === undefined && isOwner === true) return control;
    const sources = engine().catalog.sources();
    return controlForAgent(control, (id) => {
      const source = sources.find((each) => each.id === id);
      return options.mayUse(agent, source === undefined ? id : publishedName(source));
    });
  }

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
