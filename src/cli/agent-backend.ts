import type { AgentConfig } from "../core/config/agent-schema.ts";
import { Fault } from "../core/fault.ts";
import type { Log } from "../core/log.ts";
import type { AgentTools } from "../sources/agent/agent-tools.ts";
import { type BackendCandidate, chooseBackend, type ChosenBackend } from "../sources/agent/choose-backend.ts";
import { createCommandsBackend, type McpCommand } from "../sources/agent/commands/commands-backend.ts";
import type { AgentFlags } from "./agent-options.ts";
import { findModel } from "../sources/agent/model/find-model.ts";
import { locateGateway } from "./locate-gateway.ts";
import { readVersion } from "./version.ts";
import type { World } from "./world.ts";

export interface BackendOptions {
  readonly config: AgentConfig;
  /** Where conversations with a model are kept. */
  readonly sessionsFolder: string;
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
  const { world, flags, config, log, mcp, tools } = options;
  const commands = createCommandsBackend({
    tools,
    mcp,
    waysToAnAgent: [
      'Start OpenClaw on this machine: "openclaw gateway". One that runs elsewhere is named by OPENCLAW_GATEWAY_URL and OPENCLAW_GATEWAY_TOKEN.',
      "Name a model: CLAWPORT_MODEL=anthropic/<model> with ANTHROPIC_API_KEY (likewise openai, google), or CLAWPORT_MODEL=<model> with CLAWPORT_MODEL_URL=http://127.0.0.1:11434/v1 for a local one.",
    ],
  });
  const candidates = [gatewayCandidate(world, flags, config, log), modelCandidate(options)];
  const { backend } = config;
  if (backend === "auto") return chooseBackend(candidates, commands);
  const named = candidates.filter(({ name }) => name === backend);
  return chooseBackend(
    named.map((candidate) => ({ ...candidate, isThere: () => Promise.resolve(true) })),
    commands,
  );
}

function modelCandidate({ world, config, sessionsFolder, modelTools, log }: BackendOptions): BackendCandidate {
  const find = () => findModel(config.model, world.env);
  return {
    name: "model",
    isThere: async () => find() !== undefined,
    async open() {
      const settings = find();
      if (settings === undefined)
        throw new Fault("config", "agent.backend is model, but none is named: set agent.model.");
      const [{ openModel }, { createModelBackend }, { openHistories }] = await Promise.all([
        import("../sources/agent/model/open-model.ts"),
        import("../sources/agent/model/model-backend.ts"),
        import("../sources/agent/model/history.ts"),
      ]);
      const histories = openHistories(sessionsFolder);
      histories.sweep().catch((error: unknown) => log.debug("old conversations stay", { error }));
      return createModelBackend({ settings, model: await openModel(settings), histories, tools: modelTools });
    },
  };
}

const approvalCaps = ["exec-approvals", "plugin-approvals"];

function gatewayCandidate(
  world: BackendOptions["world"],
  flags: AgentFlags,
  config: AgentConfig,
  log: Log,
): BackendCandidate {
  return {
    name: "gateway",
    isThere: async () => (await locateGateway(world, flags)).isThere(),
    async open() {
      const { openGateway } = await import("../sources/agent/gateway/open-gateway.ts");
      const { createGatewayBackend } = await import("../sources/agent/gateway/gateway-backend.ts");
      const { createApprovalLine } = await import("../sources/agent/gateway/approval-line.ts");
      const { address } = await locateGateway(world, flags);
      const line = { address, log, version: readVersion() };
      const approvals = createApprovalLine(() =>
        openGateway({ ...line, client: { caps: approvalCaps }, patienceMs: 5000 }),
      );
      const gateway = await openGateway(line);
      return createGatewayBackend({ gateway, agentId: flags.agent ?? config.id, approvals });
    },
  };
}
