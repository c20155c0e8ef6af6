import { existsSync } from "node:fs";
import type { View } from "../../catalog/view.ts";
import type { AgentConfig } from "../../core/config/agent-config.ts";
import { Fault } from "../../core/fault.ts";
import { nonBlank } from "../../core/files/resolve-home.ts";
import type { Log } from "../../core/log.ts";
import type { World } from "../../core/process/world.ts";
import { readVersion } from "../../core/version.ts";
import { locateGateway } from "../../openclaw/locate-gateway.ts";
import { openclawPaths } from "../../openclaw/openclaw-paths.ts";
import { createAgentSource } from "../../sources/agent/agent-source.ts";
import { type AgentTools, createAgentTools } from "../../sources/agent/agent-tools.ts";
import { createCommandsBackend, type McpCommand, withCommands } from "../../sources/agent/commands-backend.ts";
import { findModel } from "../../sources/agent/model/find-model.ts";
import type { SaveMedia } from "../../sources/agent/order/build-answer.ts";
import {
  type BackendCandidate,
  chooseBackend,
  type ChosenBackend,
  type ReplyBackend,
} from "../../sources/agent/reply-backend.ts";
import { createTranscriber } from "../../sources/agent/transcribe/transcriber.ts";
import type { ConfigSource } from "./config-source.ts";
import type { EngineParts } from "./engine-parts.ts";
import { uploadLimits } from "./upload-limits.ts";
import { saveMedia } from "../../core/files/save-media.ts";
import { pruneFolder, resultsBounds } from "../../core/files/prune-folder.ts";

export interface OpenAgentOptions {
  readonly flags: AgentFlags;
  /** Opens the tools that our own agent may use; called when the first order needs them. */
  openTools(): Promise<void>;
  readonly mcp: McpCommand;
  /** Called before a command of the configuration starts. Faults if it may not. */
  readonly checkCommand?: ConfigSource["checkCommand"];
}

/** Which OpenClaw takes the orders, as given on the command line. */
export interface AgentFlags {
  readonly gateway?: string;
  readonly token?: string;
  readonly password?: string;
  readonly agent?: string;
}

/** Puts `order_openclaw` into the catalog, with an agent behind it. */
export function openAgent(parts: EngineParts, options: OpenAgentOptions): ChosenBackend {
  const { catalog, guard, home, env, log, closers } = parts;
  const { agent: config } = parts.config;
  const { checkCommand } = options;
  let opened: Promise<void> | undefined;
  const toolsOf = (view: View) => {
    const tools = createAgentTools({ view, guard });
    return async (): Promise<AgentTools> => {
      await (opened ??= options.openTools());
      return tools;
    };
  };
  const backend = openBackend({
    world: parts,
    flags: options.flags,
    config,
    log,
    mcp: options.mcp,
    sessionsFolder: home.file("agent", "sessions"),
    runningFolder: home.file("agent", "running"),
    tools: toolsOf(catalog.view("all")),
    modelTools: toolsOf(catalog.view("all", { alphabet: "narrow" })),
  });
  const { folder } = uploadLimits(home.path).spill;
  // After the first order: a client waits for that.
  setTimeout(() => void sweepIncoming(folder, log), 1000).unref();
  closers.add("agent", () => backend[Symbol.asyncDispose]());
  catalog.add(
    createAgentSource({
      getReply: backend.getReply,
      isUnlisted: !hasAgent(parts, config, options.flags),
      locksFolder: home.file("agent", "turns"),
      idleMs: config.idleTimeoutMs,
      taskAfterMs: config.taskAfterMs,
      maxAnswerBytes: config.maxAnswerBytes,
      transcriber:
        config.transcription && createTranscriber({ config: config.transcription, env, folder, checkCommand }),
      save: keepIn(home.file("results"), log),
    }),
  );
  return backend;
}

/**
 * Whether an OpenClaw or a model is set up, or the configuration says what takes the orders. An OpenClaw that is not running
 * counts: it may start at any time, and tools should not come and go with it.
 */
export function hasAgent(
  { env, homedir }: Pick<World, "env" | "homedir">,
  config: AgentConfig,
  flags: AgentFlags,
): boolean {
  const gateway = [flags.gateway, nonBlank(env["OPENCLAW_GATEWAY_URL"]), nonBlank(env["OPENCLAW_GATEWAY_PORT"])];
  const model = [config.model?.name, nonBlank(env["CLAWPORT_MODEL"])];
  if (config.backend !== "auto" || [...gateway, ...model].some((name) => name !== undefined)) return true;
  return existsSync(openclawPaths(env, homedir).config);
}

/** In the folder where all saved media of answers go, and are swept together. */
function keepIn(folder: string, log: Log): SaveMedia {
  return async (media, content) => {
    const { path } = await saveMedia({ content, name: media.name, mimeType: media.mimeType }, folder);
    await pruneFolder(folder, log, Date.now(), resultsBounds);
    return path;
  };
}

export interface BackendOptions {
  readonly config: AgentConfig;
  /** Where conversations with a model are kept. */
  readonly sessionsFolder: string;
  /** Where processes of the same state folder see each other's orders. */
  readonly runningFolder?: string | undefined;
  readonly world: Pick<World, "env" | "homedir">;
  readonly flags: AgentFlags;
  readonly log: Log;
  readonly mcp?: McpCommand | undefined;
  tools(): Promise<AgentTools>;
  /** The same tools under names that models take. */
  modelTools(): Promise<AgentTools>;
}

/** A running OpenClaw, else a model, else what works without an agent; or the one that the configuration names. */
export function openBackend(options: BackendOptions): ChosenBackend {
  const { config } = options;
  const commands = createCommandsBackend({
    ...options,
    waysToAnAgent: [
      'Start OpenClaw on this machine: "openclaw gateway". One that runs elsewhere is named by OPENCLAW_GATEWAY_URL and OPENCLAW_GATEWAY_TOKEN.',
      "Name a model: CLAWPORT_MODEL=anthropic/<model> with ANTHROPIC_API_KEY (likewise openai, google), or CLAWPORT_MODEL=<model> with CLAWPORT_MODEL_URL=http://127.0.0.1:11434/v1 for a local one.",
    ],
  });
  const candidates = [gatewayCandidate(options), modelCandidate(options)];
  const { backend } = config;
  if (backend === "auto") return chooseBackend(candidates, commands);
  const named = candidates.filter(({ name }) => name === backend);
  return chooseBackend(
    named.map((candidate) => ({ ...candidate, isThere: () => Promise.resolve(true) })),
    commands,
  );
}

function modelCandidate(options: BackendOptions): BackendCandidate {
  const { world, config, sessionsFolder, modelTools, log } = options;
  const find = () => findModel(config.model, world.env);

  async function openModelBackend(): Promise<ReplyBackend> {
    const settings = find();
    if (settings === undefined)
      throw new Fault("config", "agent.backend is model, but none is named: set agent.model.");
    const [{ openModel }, { createModelBackend }, { openConversationFiles }] = await Promise.all([
      import("../../sources/agent/model/open-model.ts"),
      import("../../sources/agent/model/model-backend.ts"),
      import("../../sources/agent/conversations/conversation-files.ts"),
    ]);
    const conversations = openConversationFiles(sessionsFolder);
    conversations.sweep().catch((error: unknown) => log.debug("old conversations stay", { error }));
    const model = await openModel(settings);
    return createModelBackend({ settings, model, conversations, tools: modelTools });
  }

  return {
    name: "model",
    async isThere() {
      try {
        return find() !== undefined;
      } catch {
        // It is named, but not as it should be. The first order that needs it says so.
        return true;
      }
    },
    async open() {
      const commands = createCommandsBackend({ ...options, waysToAnAgent: [], hasModel: true });
      // A model that can't be opened leaves the commands usable, and is tried again with the next order.
      const model = chooseBackend([{ name: "model", isThere: async () => true, open: openModelBackend }], commands);
      model.prepare();
      return withCommands({ ...model, name: "model" }, commands);
    },
  };
}

const approvalCaps = ["exec-approvals", "plugin-approvals"];

function gatewayCandidate({ world, flags, config, log, runningFolder }: BackendOptions): BackendCandidate {
  return {
    name: "gateway",
    isThere: async () => (await locateGateway(world, flags)).isThere(),
    async open() {
      const { openGateway } = await import("../../openclaw/open-gateway.ts");
      const { createGatewayBackend } = await import("../../sources/agent/gateway/gateway-backend.ts");
      const { createApprovalConnection } = await import("../../sources/agent/gateway/answer-approvals.ts");
      const { address } = await locateGateway(world, flags);
      const line = { address, log, version: readVersion() };
      const approvals = createApprovalConnection(() =>
        openGateway({ ...line, client: { caps: approvalCaps }, patienceMs: 5000 }),
      );
      const gateway = await openGateway(line);
      return createGatewayBackend({ gateway, agentId: flags.agent ?? config.id, approvals, runningFolder });
    },
  };
}

const maxOrderMs = 24 * 60 * 60 * 1000;

/** Removes texts of orders whose process was killed before it could. Younger ones may belong to one that runs. */
export async function sweepIncoming(folder: string, log: Log, now = Date.now()): Promise<void> {
  await pruneFolder(folder, log, now, { maxAgeMs: maxOrderMs, maxFiles: Infinity, maxBytes: Infinity });
}
