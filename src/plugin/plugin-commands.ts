import type { Caller } from "../catalog/caller.ts";
import { isUsedByAgents } from "../core/config/agent-servers-config.ts";
import { toFault } from "../core/fault.ts";
import type { LiveLog } from "../core/log.ts";
import type { Env } from "../core/process/child-env.ts";
import type { HubControl } from "../hub/control/verbs.ts";
import type { Engine } from "../hub/engine/engine.ts";
import { withChatCommands } from "../hub/presentation/chat-commands.ts";
import type { ConfigEditor } from "../hub/presentation/connect.ts";
import type { ReplyOptions } from "../sources/agent/reply-backend.ts";
import { controlForAgent } from "./agent-control.ts";
import { createPluginEditor } from "./config-writer.ts";
import type { ConfigWrites } from "./config-writes.ts";
import type { OwnerChat } from "./owner-chat.ts";
import { publishedName } from "./entries/published.ts";
import { controlWith, type ServerOwner, serverOwnerText } from "./server-owner.ts";
import type { ChatCommandContext } from "./openclaw-api.ts";
import type { PluginConfig } from "./plugin-config.ts";

/** Who runs a command. */
export interface CommandCaller {
  readonly caller: Omit<Caller, "door">;
  /** Where it was typed; undefined for an agent's. */
  readonly chat?: ChatCommandContext;
  /** The person has typed this very command, or approved that an agent runs it. */
  readonly isApproved: boolean;
}

/** The person who typed a command. Only the owner's own words count as an approval. */
export function typedBy(chat: ChatCommandContext): CommandCaller {
  const { channel, senderId, senderIsOwner } = chat;
  const sender = senderId === undefined ? undefined : channel === undefined ? senderId : `${channel}:${senderId}`;
  const isOwner = senderIsOwner === true;
  return { caller: { ...(sender !== undefined && { sender }), isOwner }, isApproved: isOwner, chat };
}

export interface PluginCommandsOptions {
  /** OpenClaw's configuration file. */
  readonly configPath: string;
  readonly env: Env;
  readonly log: LiveLog;
  readonly configuration: Pick<PluginConfig, "problem" | "current">;
  mayUse(agent: string | undefined, server: string): boolean;
  engine(): Engine;
  serverOwner(): ServerOwner;
  readonly writes: ConfigWrites;
  readonly ownerChat: OwnerChat;
  /** The plugin's part of OpenClaw's configuration, as it is now. */
  readOwn(): Readonly<Record<string, unknown>>;
}

/** Answers `/mcp …`. */
export function createPluginCommands(options: PluginCommandsOptions) {
  const { configPath, env, log, configuration, engine, serverOwner, ownerChat } = options;

  return (given: string, by: CommandCaller): Promise<string> => options.writes.during(() => answer(given, by));

  async function answer(given: string, { caller, isApproved, chat }: CommandCaller): Promise<string> {
    if (chat !== undefined && caller.isOwner === true) ownerChat.note(chat);
    const text = given.trim() === "" ? "servers" : given;
    const { createMcpCommand } = await import("../hub/presentation/mcp-command.ts");
    const { openLocalControl } = await import("../hub/control/local-control.ts");
    const running = engine();
    const mcp = createMcpCommand({
      control: async () =>
        limited(
          explained(controlWith(await openLocalControl(running), serverOwner(), configuration.current())),
          caller,
        ),
      async settled() {
        await running.servers();
        await running.settled(10_000);
      },
      guard: running.guard,
      openEditor: (signal) => Promise.resolve(openEditor(signal)),
      post: (news) => ownerChat.post(withChatCommands(news), chat),
    });
    const order: ReplyOptions = {
      caller: { ...caller, door: "plugin" },
      approval: isApproved ? { choice: "once" } : undefined,
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
      return [...notes(text, caller), answer].join("\n");
    } catch (error) {
      return toFault(error).message;
    }
  }

  /** A server that no agent may use is switched off by us, not by `enabled: false`. */
  function explained(control: HubControl): HubControl {
    const { servers, agents } = configuration.current();
    const isUnused = (name: string) => servers[name]?.enabled === true && !isUsedByAgents(agents, name);
    const list = async () =>
      (await control.servers.list()).map((server) =>
        server.state === "disabled" && isUnused(server.name)
          ? { ...server, reason: "no agent may use it, see `agents` in the configuration" }
          : server,
      );
    return { ...control, servers: { ...control.servers, list } };
  }

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
  function notes(text: string, { isOwner, agent }: Omit<Caller, "door">): readonly string[] {
    const problem = configuration.problem();
    const unposted = isOwner === true && agent === undefined ? ownerChat.takeUnposted() : [];
    return [
      ...unposted.flatMap((news) => [news, ""]),
      ...(problem === undefined ? [] : [problem, ""]),
      ...(/^\s*status\s*$/.test(text) ? [serverOwnerText(serverOwner()), ""] : []),
    ];
  }

  function openEditor(signal: AbortSignal): ConfigEditor {
    const quiet = { ask: () => Promise.resolve(undefined), showWhile: <T>(_: string, work: Promise<T>) => work };
    const { home, homedir } = engine();
    const host = { env, homedir, log, globals: {}, stopSignal: () => signal, ...quiet };
    return createPluginEditor({
      writes: options.writes,
      names: () => Object.keys(configuration.current().servers),
      async check(name, settings) {
        const { tryServer } = await import("../hub/control/settings/config-editor.ts");
        const raw = JSON.stringify(options.readOwn());
        return tryServer(host, home, { path: configPath, text: raw, name, settings });
      },
    });
  }
}
