import { messageOf } from "../core/fault.ts";
import { readVersion } from "../core/version.ts";
import {
  type ConversationStore,
  createModelConversationStore,
} from "../sources/agent/conversations/conversation-store.ts";
import type { AgentFlags } from "./engine/open-agent.ts";
import type { Host } from "./host.ts";
import { openHomeOf } from "./open-home.ts";

/** Every place that keeps conversations and can be reached now. */
export interface Conversations extends AsyncDisposable {
  readonly stores: readonly ConversationStore[];
}

export async function openConversations(host: Host, flags: AgentFlags): Promise<Conversations> {
  const { openConversationFiles } = await import("../sources/agent/conversations/conversation-files.ts");
  const home = await openHomeOf(host);
  const own = createModelConversationStore(openConversationFiles(home.file("agent", "sessions")));
  const gateway = await findRunningGateway(host, flags);
  return {
    stores: gateway === undefined ? [own] : [own, gateway.store],
    async [Symbol.asyncDispose]() {
      await gateway?.close();
    },
  };
}

/** A gateway that was named must be reachable; the default one of this machine may be off. */
async function findRunningGateway({ env, homedir, log, stopSignal }: Host, flags: AgentFlags) {
  const { locateGateway } = await import("../openclaw/locate-gateway.ts");
  const { address, isThere } = await locateGateway({ env, homedir }, flags);
  if (!(await isThere())) return undefined;
  const { openGateway } = await import("../openclaw/open-gateway.ts");
  const { createGatewayConversationStore } =
    await import("../sources/agent/conversations/gateway-conversation-store.ts");
  const gateway = await openGateway({ address, log, version: readVersion(), patienceMs: 5000 });
  try {
    await gateway.connected(stopSignal());
    return { store: createGatewayConversationStore(gateway, flags.agent, stopSignal()), close: () => gateway.close() };
  } catch (error) {
    await gateway.close();
    log.warn(`OpenClaw's conversations are left out: ${messageOf(error)}`);
    return undefined;
  }
}
