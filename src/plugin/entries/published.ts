import type { Source } from "../../catalog/source.ts";
import type { ViewFilter } from "../../catalog/view.ts";
import { isUsedByAgents } from "../../core/config/agent-servers-config.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { nameEntries, type Published } from "./entries.ts";

/** All connected apps together: they come and go, and their tools with them. */
const appsName = "apps";
const machineName = "machine";

/** What else than servers the engine has open. */
export interface OpenSources {
  readonly machine: boolean;
  readonly apps: boolean;
}

/** What OpenClaw's agents get an address for. */
export function publishedBy({ servers, agents, apps }: Config, open: OpenSources): readonly Published[] {
  const offered = Object.entries(servers).filter(([, { enabled }]) => enabled);
  const own = [
    ...(open.machine ? [[machineName, {}] as const] : []),
    ...(open.apps && apps.show && !Object.hasOwn(servers, appsName)
      ? [[appsName, { toolPrefix: apps.prefix }] as const]
      : []),
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
