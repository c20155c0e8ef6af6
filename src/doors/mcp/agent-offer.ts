import { RequestCallContext } from "../../catalog/call-context.ts";
import { Fault } from "../../core/fault.ts";
import type { McpOffer } from "../../mcp/server/offer.ts";
import { detachAfter } from "../../mcp/server/tasks.ts";
import type { AgentAccess, RedeemedCall } from "./agent-access.ts";
import type { ViewOfferOptions } from "./view-offer.ts";

type Args = Readonly<Record<string, unknown>>;

/** A view as the agent of the host gets it: each call says in its arguments who asked for it. */
export function offerToAgent(
  offer: McpOffer,
  access: AgentAccess,
  { view, guard, log }: Pick<ViewOfferOptions, "view" | "guard" | "log">,
): McpOffer {
  const { tools } = offer;
  if (tools === undefined) return offer;
  /** By the arguments that are left. */
  const redeemed = new WeakMap<Args, RedeemedCall>();

  return {
    ...offer,
    // OpenClaw makes a tool of every one that is declared.
    declares: (feature) => view.declares(feature),
    tools: {
      ...tools,
      readArguments({ name }, args) {
        const call = access.redeem(requireEntry(name), args);
        redeemed.set(call.args, call);
        return call.args;
      },
      call(tool, args, request) {
        const entry = requireEntry(tool.name);
        const { caller, approval } = redeemed.get(args) ?? access.redeem(entry, args);
        const context = new RequestCallContext(request, { ...caller, door: "plugin" }, log, undefined, approval);
        const result = guard.call(entry, args, context).then((answer) => access.present(entry, answer));
        return detachAfter(result, request, entry.source.taskAfterMs);
      },
    },
  };

  function requireEntry(name: string) {
    const entry = view.find(name);
    if (entry !== undefined) return entry;
    throw new Fault("unknown-tool", `The tool ${name} is no longer available. List the tools again.`);
  }
}
