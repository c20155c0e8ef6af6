import type { AgentFlags } from "../cli/agent-options.ts";
import type { CommandContext } from "../cli/command-context.ts";
import { openHomeOf } from "../cli/open-home.ts";
import { messageOf } from "../core/fault.ts";
import { readVersion } from "../core/version.ts";
import {
  type ConversationStore,
  createModelConversationStore,
} from "../sources/agent/conversations/conversation-store.ts";

/** Every place where conversations may be, as far as it can be reached now. */
export interface Conversations extends AsyncDisposable {
  readonly shelves: readonly ConversationStore[];
}

export async function openConversations(context: CommandContext, flags: AgentFlags): Promise<Conversations> {
  const { openConversationFiles } = await import("../sources/agent/conversations/conversation-files.ts");
  const home = await openHomeOf(context);
  const own = createModelConversationStore(openConversationFiles(home.file("agent", "sessions")));
  const gateway = await findRunningGateway(context, flags);
  return {
    shelves: gateway === undefined ? [own] : [own, gateway.shelf],
    async [Symbol.asyncDispose]() {
      await gateway?.close();
    },
  };
}

/** A gateway that was named has to be there; the usual one of this machine may be off. */
async function findRunningGateway({ env, homedir, log, stopSignal }: CommandContext, flags: AgentFlags) {
  const { locateGateway } = await import("../openclaw/locate-gateway.ts");
  const { address, isThere } = await locateGateway({ env, homedir }, flags);
  if (!(await isThere())) return undefined;
  const { openGateway } = await import("../openclaw/open-gateway.ts");
  const { createGatewayConversationStore } =
    await import("../sources/agent/conversations/gateway-conversation-store.ts");
  const gateway = await openGateway({ address, log, version: readVersion(), patienceMs: 5000 });
  try {
    await gateway.connected(stopSignal());
    return { shelf: createGatewayConversationStore(gateway, flags.agent, stopSignal()), close: () => gateway.close() };
  } catch (error) {
    await gateway.close();
    log.warn(`OpenClaw's conversations are left out: ${messageOf(error)}`);
    return undefined;
  }
}
