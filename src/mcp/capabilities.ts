import { tasksExtension } from "./client-facts.ts";
import type { McpOffer } from "./offer.ts";
import type { Era } from "./protocol-version.ts";

/** What the server says it can do, read off what the offer has. */
export function capabilitiesOf(offer: McpOffer, era: Era): object {
  const listChanged = offer.onChange ? { listChanged: true } : {};
  return {
    ...(offer.tools ? { tools: listChanged } : {}),
    ...(offer.resources
      ? { resources: { ...(offer.resources.watch ? { subscribe: true } : {}), ...listChanged } }
      : {}),
    ...(offer.prompts ? { prompts: listChanged } : {}),
    ...(offer.complete ? { completions: {} } : {}),
    logging: {},
    ...(era === "modern" ? { extensions: { [tasksExtension]: {} } } : {}),
  };
}
