import { RequestCallContext } from "../../catalog/call-context.ts";
import { Fault } from "../../core/fault.ts";
import type { McpOffer } from "../../mcp/server/offer.ts";
import { detachAfter } from "../../mcp/server/tasks.ts";
import type { AgentAccess, RedeemedCall } from "./agent-access.ts";
import { createViewOffer, judgesArguments, type ViewOfferOptions } from "./view-offer.ts";

export interface AgentOfferOptions extends Omit<ViewOfferOptions, "door" | "rights"> {
  readonly access: AgentAccess;
}

type Args = Readonly<Record<string, unknown>>;

/** A view as the agent of the host gets it: each call says in its arguments who asked for it. */
export function createAgentOffer(options: AgentOfferOptions): McpOffer {
  const { view, guard, access, log } = options;
  const offer = createViewOffer({ ...options, door: "plugin", rights: {} });
  /** By the arguments that are left. */
  const redeemed = new WeakMap<Args, RedeemedCall>();

  return {
    ...offer,
    // OpenClaw makes a tool of every one that is declared.
    declares: (feature) => view.declares(feature),
    // A spread would read it once and for all.
    get instructions() {
      return view.instructions();
    },
    tools: {
      list: () => view.definitions(),
      find: (name) => view.find(name)?.definition,
      judgesArguments: (tool) => judgesArguments(view, tool),
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
