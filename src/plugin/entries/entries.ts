import type { McpServerEntry, OpenClawConfig } from "../openclaw-api.ts";
import { isSameJson } from "../../core/is-same-json.ts";

/** An address at which OpenClaw reaches one server through us. */
export interface Published {
  /** Our name of the server. */
  readonly server: string;
  /** Its key in `mcp.servers`: OpenClaw calls the tools `<entry>__<tool>`. */
  readonly entry: string;
}

export interface EntryAccess {
  readonly port: number;
  readonly token: string;
}

/** Names that OpenClaw takes as they are. */
const plainEntry = /^[A-Za-z][A-Za-z0-9_-]{0,29}$/;

/**
 * The keys of the servers in `mcp.servers`: the prefix of their tools, made fit for OpenClaw. A key that two would have
 * goes to the first; the other one gets a number.
 */
export function nameEntries(
  servers: Readonly<Record<string, { readonly toolPrefix?: string | undefined }>>,
): Published[] {
  const taken = new Set<string>();
  return Object.entries(servers).map(([server, { toolPrefix }]) => {
    const wanted = fit(toolPrefix || server);
    let entry = wanted;
    for (let number = 2; taken.has(entry.toLowerCase()); number++) entry = `${wanted.slice(0, 26)}-${number}`;
    taken.add(entry.toLowerCase());
    return { server, entry };
  });
}

function fit(name: string): string {
  // OpenClaw refuses keys that objects have by themselves, such as `constructor`.
  if (name in Object.prototype || name === "prototype") return `mcp-${name}`;
  if (plainEntry.test(name)) return name;
  const cleaned = name.replaceAll(/[^A-Za-z0-9_-]+/g, "-");
  return (/^[A-Za-z]/.test(cleaned) ? cleaned : `mcp-${cleaned}`).slice(0, 30);
}

/** Whether we wrote this entry, in whatever run: no one else has the token. */
function isOurs(entry: McpServerEntry | undefined, { token }: Pick<EntryAccess, "token">): boolean {
  return entry?.headers?.["Authorization"] === `Bearer ${token}`;
}

/** A key of `agents.entries` or, if there are none, undefined: then the list for all agents is used. */
type AgentKey = string | undefined;

/** A pattern that hides a server from an agent. */
export interface Denial {
  readonly agent?: AgentKey;
  readonly pattern: string;
}

export interface PlannedEntries {
  /** Everything that should be there. */
  readonly entries: Readonly<Record<string, McpServerEntry>>;
  /** Servers whose key the user has given to an entry of their own. */
  readonly clashes: readonly Published[];
  readonly denials: readonly Denial[];
}

/** Which servers the agent must not see. */
export type IsHidden = (agent: string, server: string) => boolean;

export function planEntries(
  config: OpenClawConfig,
  published: readonly Published[],
  access: EntryAccess,
  isHidden: IsHidden,
): PlannedEntries {
  const present = config.mcp?.servers ?? {};
  const isFree = ({ entry }: Published): boolean => !Object.hasOwn(present, entry) || isOurs(present[entry], access);
  const free = published.filter(isFree);
  const agents = Object.keys(config.agents?.entries ?? {});
  const denials = free.flatMap(({ server, entry }): Denial[] => {
    const pattern = `${entry}__*`;
    if (agents.length === 0) return isHidden("main", server) ? [{ pattern }] : [];
    return agents.flatMap((agent) => (isHidden(agent, server) ? [{ agent, pattern }] : []));
  });
  return {
    entries: Object.fromEntries(free.map(({ server, entry }) => [entry, entryOf(server, access)])),
    clashes: published.filter((each) => !isFree(each)),
    denials,
  };
}

function entryOf(server: string, { port, token }: EntryAccess): McpServerEntry {
  return {
    transport: "streamable-http",
    url: `http://127.0.0.1:${port}/mcp/${encodeURIComponent(server)}`,
    headers: { Authorization: `Bearer ${token}` },
    // Longer than a call may take here: the engine knows the limits of each server, and whether it makes progress.
    requestTimeoutMs: 900_000,
    supportsParallelToolCalls: true,
    // Codex calls the endpoint itself, without the ticket that says who asked. The list must not be empty.
    codex: { agents: ["not-for-codex"] },
  };
}

/** Whether the configuration differs from the plan. `known` are the denials that we wrote earlier. */
export function needsEdit(config: OpenClawConfig, plan: PlannedEntries, access: EntryAccess, known: readonly Denial[]) {
  const draft = structuredClone({ mcp: config.mcp, agents: config.agents, tools: config.tools }) as OpenClawConfig;
  const before = JSON.stringify(draft);
  applyPlan(draft, plan, access, known);
  return JSON.stringify(draft) !== before;
}

/** Makes the configuration as planned. What the user wrote stays as it is. */
export function applyPlan(
  config: OpenClawConfig,
  { entries, denials }: Pick<PlannedEntries, "entries" | "denials">,
  access: Pick<EntryAccess, "token">,
  known: readonly Denial[],
): void {
  const servers = config.mcp?.servers ?? {};
  for (const [key, entry] of Object.entries(servers))
    if (isOurs(entry, access) && !Object.hasOwn(entries, key)) delete servers[key];
  for (const [key, entry] of Object.entries(entries)) {
    const present = Object.hasOwn(servers, key) ? servers[key] : undefined;
    if (!isSameJson(present, entry)) servers[key] = entry;
  }
  if (Object.keys(servers).length > 0) (config.mcp ??= {}).servers = servers;
  else if (config.mcp !== undefined) {
    delete config.mcp.servers;
    if (Object.keys(config.mcp).length === 0) delete config.mcp;
  }
  for (const denial of known) if (!denials.some((each) => isSame(each, denial))) takeBack(config, denial);
  for (const denial of denials) {
    const tools = toolsOf(config, denial);
    if (tools !== undefined && !tools.deny?.includes(denial.pattern))
      tools.deny = [...(tools.deny ?? []), denial.pattern];
  }
}

function isSame(one: Denial, other: Denial): boolean {
  return one.agent === other.agent && one.pattern === other.pattern;
}

function takeBack(config: OpenClawConfig, denial: Denial): void {
  const { agent, pattern } = denial;
  const owner = agent === undefined ? config : config.agents?.entries?.[agent];
  const left = owner?.tools?.deny?.filter((each) => each !== pattern);
  if (owner?.tools === undefined || left === undefined) return;
  if (left.length > 0) owner.tools.deny = left;
  else delete owner.tools.deny;
  if (Object.keys(owner.tools).length === 0) delete owner.tools;
}

function toolsOf(config: OpenClawConfig, { agent }: Denial): { deny?: string[] } | undefined {
  if (agent === undefined) return (config.tools ??= {});
  const entry = config.agents?.entries?.[agent];
  return entry && (entry.tools ??= {});
}
