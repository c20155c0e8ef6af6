import type { Source } from "../../catalog/source.ts";
import type { ViewFilter } from "../../catalog/view.ts";
import { isUsedByAgents } from "../../core/config/agent-servers-config.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { HubApps } from "../server-owner.ts";
import { nameEntries, type Published } from "./entries.ts";

/** All connected apps together: they come and go, and their tools with them. */
export const appsName = "apps";
const machineName = "machine";

/** What else than servers the engine has open. */
export interface OpenSources {
  readonly machine?: unknown;
  readonly apps?: unknown;
}

/** What OpenClaw's agents get an address for. Made anew only after a change, since every call of a tool asks. */
export function createPublished() {
  let known: { of: readonly unknown[]; list: readonly Published[] } = { of: [], list: [] };
  return (config: Config, open: OpenSources | undefined, hubApps?: HubApps): readonly Published[] => {
    const of = [config, open, hubApps];
    if (of.some((each, at) => each !== known.of[at])) known = { of, list: publishedBy(config, open ?? {}, hubApps) };
    return known.list;
  };
}

function publishedBy({ servers, agents, apps }: Config, open: OpenSources, hubApps?: HubApps): readonly Published[] {
  const prefix = open.apps !== undefined && apps.show ? apps.prefix : hubApps?.prefix;
  const offered = Object.entries(servers).filter(([, { enabled }]) => enabled);
  const own = [
    ...(open.machine !== undefined ? [[machineName, {}] as const] : []),
    ...(prefix !== undefined && !Object.hasOwn(servers, appsName) ? [[appsName, { toolPrefix: prefix }] as const] : []),
  ];
  return nameEntries(Object.fromEntries([...offered, ...own].filter(([name]) => isUsedByAgents(agents, name))));
}

/** The name under which a source is published. */
export function publishedName({ id, kind }: Pick<Source, "id" | "kind">): string {
  return kind === "app" ? appsName : id;
}

/** What is at the address of a published name. */
export function publishedFilter(name: string): ViewFilter {
  return { sources: (source) => publishedName(source) === name, bare: true };
}
