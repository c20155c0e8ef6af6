import type { AuditLoss } from "../../../catalog/audit/audit.ts";
import type { DoorKind } from "../../../catalog/caller.ts";
import type { RefusedTokenCounts } from "../../../doors/mcp/refused-tokens.ts";
import type { ClientSurface } from "../../../doors/mcp/surface/surface-record.ts";
import type { ActiveRecording } from "../../../sources/machine/desktop/recordings.ts";
import { agentEnvHashes } from "../../state/agent-env.ts";
import type { HubContext } from "../contexts.ts";

export interface SourceStatus {
  readonly id: string;
  readonly kind: string;
  readonly tools: number;
}

export interface CallerStatus {
  readonly door: DoorKind;
  readonly token?: string;
  /** As the client calls itself. */
  readonly client?: string;
  readonly calls: number;
  readonly failedCalls: number;
  readonly refusedCalls: number;
  readonly lastCall: string;
}

export interface HubStatus {
  /** `http://127.0.0.1:8765`; absent if it does not serve HTTP. */
  readonly address?: string | undefined;
  /** Where apps connect, if the app proxy is open. */
  readonly appsAddress?: string | undefined;
  /** What the names of the tools of apps begin with, if they are shown. */
  readonly appsPrefix?: string | undefined;
  /** The file with the token that apps connect with, if the hub made it. */
  readonly appsTokenPath?: string | undefined;
  readonly version: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly uptimeMs: number;
  readonly sources: readonly SourceStatus[];
  /** MCP sessions that are open over HTTP; absent if it does not serve HTTP. */
  readonly sessions?: number | undefined;
  /** Calls that ended since the start, those of them that failed, and those that the guard refused. */
  readonly calls: number;
  readonly failedCalls: number;
  readonly refusedCalls: number;
  /** Hashes of the variables that say which agent takes the orders, by name; absent if it takes none. */
  readonly agentEnv?: Readonly<Record<string, string>> | undefined;
  /** Requests with a token that is not valid, and without one; absent if it does not serve HTTP. */
  readonly refusedTokens?: RefusedTokenCounts | undefined;
  /** What is being recorded on this computer now; absent if nothing is. */
  readonly recording?: readonly ActiveRecording[] | undefined;
  /** What is missing from the audit since the start; absent if nothing is and it can be written. */
  readonly auditLoss?: AuditLoss | undefined;
  /** Who has called since the start, the latest first. */
  readonly callers: readonly CallerStatus[];
  /** How clients get the tools, the latest first; absent if it does not serve HTTP. */
  readonly surfaces?: readonly ClientSurface[] | undefined;
}

/** What a process must know that hands on calls of its client: no addresses, no commands. */
export interface RelayFacts {
  /** The configuration that the hub uses. */
  readonly configPath: string;
  /** The names of the configured servers. */
  readonly servers: readonly string[];
  readonly agentEnv?: HubStatus["agentEnv"];
}

export async function readStatus({ engine }: HubContext): Promise<HubStatus> {
  const { catalog, version, startedAt, http, apps } = engine;
  const { calls, failed: failedCalls, refused: refusedCalls, callers } = engine.calls.read();
  const recording = engine.machine?.recordings.list() ?? [];
  const auditLoss = engine.auditLoss();
  return {
    ...(http && {
      address: http.address,
      sessions: http.sessionCount(),
      refusedTokens: http.refusedTokens(),
      surfaces: http.surfaces(),
    }),
    ...(apps && { appsAddress: apps.address, appsTokenPath: apps.tokenPath }),
    ...(apps && engine.config.apps.show && { appsPrefix: engine.config.apps.prefix }),
    version,
    pid: process.pid,
    startedAt: startedAt.toISOString(),
    uptimeMs: Date.now() - startedAt.getTime(),
    ...readAgentEnv(engine),
    ...(recording.length > 0 && { recording }),
    ...((auditLoss.isFailing || auditLoss.lines > 0) && { auditLoss }),
    calls,
    failedCalls,
    refusedCalls,
    callers: callers.map(({ failed, refused, lastAt, ...caller }) => ({
      ...caller,
      failedCalls: failed,
      refusedCalls: refused,
      lastCall: new Date(lastAt).toISOString(),
    })),
    sources: catalog
      .sources()
      .filter(({ isUnlisted }) => !isUnlisted)
      .map((source) => ({ id: source.id, kind: source.kind, tools: source.tools().length })),
  };
}

export async function readRelayFacts({ engine, servers, place }: HubContext): Promise<RelayFacts> {
  const names = (await servers.list()).map(({ name }) => name);
  return { configPath: place.path, servers: names, ...readAgentEnv(engine) };
}

function readAgentEnv({ catalog, env }: HubContext["engine"]): Pick<HubStatus, "agentEnv"> {
  return catalog.sources().some(({ id }) => id === "agent") ? { agentEnv: agentEnvHashes(env) } : {};
}
