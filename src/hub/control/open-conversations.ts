import { messageOf } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import type { World } from "../../core/process/world.ts";
import { readVersion } from "../../core/version.ts";
import {
  type ConversationStore,
  createModelConversationStore,
} from "../../sources/agent/conversations/conversation-store.ts";
import type { AgentFlags } from "../engine/open-agent.ts";

/** Every place that keeps conversations and can be reached now. */
export interface Conversations extends AsyncDisposable {
  readonly stores: readonly ConversationStore[];
}

export interface ConversationsOptions extends Pick<World, "env" | "homedir">, Partial<Pick<World, "stopSignal">> {
  readonly home: Home;
  readonly log: Log;
}

export async function openConversations(options: ConversationsOptions, flags: AgentFlags): Promise<Conversations> {
  const { openConversationFiles } = await import("../../sources/agent/conversations/conversation-files.ts");
  const { home } = options;
  const own = createModelConversationStore(openConversationFiles(home.file("agent", "sessions")));
  const gateway = await findRunningGateway(options, flags);
  return {
    stores: gateway === undefined ? [own] : [own, gateway.store],
    async [Symbol.asyncDispose]() {
      await gateway?.close();
    },
  };
}

/** How long a caller that can't be stopped waits for the gateway. */
const maxMs = 60_000;

/** A gateway that was named must be reachable; the default one of this machine may be off. */
async function findRunningGateway(options: ConversationsOptions, flags: AgentFlags) {
  const { env, homedir, log } = options;
  const { locateGateway } = await import("../../openclaw/locate-gateway.ts");
  const { address, isThere } = await locateGateway({ env, homedir }, flags);
  if (!(await isThere())) return undefined;
  const { openGateway } = await import("../../openclaw/open-gateway.ts");
  const { createGatewayConversationStore } =
    await import("../../sources/agent/conversations/gateway-conversation-store.ts");
  const gateway = await openGateway({ address, log, version: readVersion(), patienceMs: 5000 });
  const signal = options.stopSignal?.() ?? AbortSignal.timeout(maxMs);
  try {
    await gateway.connected(signal);
    return { store: createGatewayConversationStore(gateway, flags.agent, signal), close: () => gateway.close() };
  } catch (error) {
    await gateway.close();
    log.warn(`OpenClaw's conversations are left out: ${messageOf(error)}`);
    return undefined;
  }
}
