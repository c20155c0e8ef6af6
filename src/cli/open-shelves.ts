import { messageOf } from "../core/thrown.ts";
import { createModelShelf } from "../sources/agent/sessions/model-shelf.ts";
import type { SessionShelf } from "../sources/agent/sessions/session-shelf.ts";
import type { AgentFlags } from "./agent-options.ts";
import type { CommandContext } from "./command-context.ts";
import { openHomeOf } from "./open-home.ts";
import { readVersion } from "./version.ts";

/** Every place where conversations may be, as far as it can be reached now. */
export interface Shelves extends AsyncDisposable {
  readonly shelves: readonly SessionShelf[];
}

export async function openShelves(context: CommandContext, flags: AgentFlags): Promise<Shelves> {
  const { openHistories } = await import("../sources/agent/model/history.ts");
  const home = await openHomeOf(context);
  const own = createModelShelf(openHistories(home.file("agent", "sessions")));
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
  const { locateGateway } = await import("./locate-gateway.ts");
  const { address, isThere } = await locateGateway({ env, homedir }, flags);
  if (!(await isThere())) return undefined;
  const { openGateway } = await import("../sources/agent/gateway/open-gateway.ts");
  const { createGatewayShelf } = await import("../sources/agent/sessions/gateway-shelf.ts");
  const gateway = await openGateway({ address, log, version: readVersion(), patienceMs: 5000 });
  try {
    await gateway.connected(stopSignal());
    return { shelf: createGatewayShelf(gateway, flags.agent, stopSignal()), close: () => gateway.close() };
  } catch (error) {
    await gateway.close();
    log.warn(`OpenClaw's conversations are left out: ${messageOf(error)}`);
    return undefined;
  }
}
