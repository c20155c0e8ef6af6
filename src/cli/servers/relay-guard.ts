import { Fault } from "../../core/fault.ts";
import type { CallGuard } from "../../doors/mcp/view-offer.ts";

/** Lets everything pass: what is relayed to a hub is judged there, by the hub's guard, for the same caller. */
export const relayGuard: CallGuard = {
  call: (tool, args, context) => tool.source.call(tool.tool.name, args, context),
  async readResource(view, uri, context) {
    const source = view.findResource(uri);
    if (!source) throw new Fault("unknown-resource", "There is no such resource.", { detail: { uri } });
    return source.readResource(uri, context);
  },
  async getPrompt(view, name, args, context) {
    const found = view.findPrompt(name);
    if (!found?.source.getPrompt) throw new Fault("unknown-prompt", "There is no such prompt.");
    return found.source.getPrompt(found.prompt.name, args, context);
  },
  complete: async (view, request, context) => (await view.findCompletion(request)?.complete(context)) ?? { values: [] },
};
