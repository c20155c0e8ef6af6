import type { AuditLoss } from "../../catalog/audit/audit.ts";
import type { DoorKind, TokenView } from "../../catalog/caller.ts";
import type { CallContext } from "../../catalog/call-context.ts";
import type { ApprovalAnswer } from "../../catalog/advice.ts";
import type { AnswerWay, GivenAnswer, ShownCall, Widening } from "../../catalog/guard/approvals.ts";
import type { Approval, ApprovalsFile } from "../../catalog/guard/approvals-file.ts";
import type { HeldDefinition } from "../../catalog/guard/held-definition.ts";
import type { ConfigProblem } from "../../core/config/config-problem.ts";
import type { ConfigLocation } from "../../core/config/find-config.ts";
import type { Tool, ToolResult } from "../../mcp/messages/tool.ts";
import type {
  ConversationPlace,
  ConversationSummary,
  ConversationTranscript,
} from "../../sources/agent/conversations/conversation-store.ts";
import type { RefusedTokenCounts } from "../../doors/mcp/refused-tokens.ts";
import type { SurfaceSetting } from "../../doors/mcp/surface/choose-surface.ts";
import type { ClientSurface, GivenSurface } from "../../doors/mcp/surface/surface-record.ts";
import type { ActiveRecording } from "../../sources/machine/desktop/recordings.ts";
import type { ServerStatus } from "../../sources/servers/server-status.ts";
import type { Examined } from "../doctor/finding.ts";
import type { AuditInsight, FoundCall, StatusInsight, ToolsInsight } from "./insight/insight-control.ts";
import type {
  AgentControl,
  ClientsControl,
  ConfigurationEdits,
  MachineControl,
  RulesControl,
  ServerEdits,
} from "./settings/settings-control.ts";
import type { SignInsControl } from "./sign-ins.ts";
import type { UsageControl } from "./usage-control.ts";

/**
 * Everything a person or a page can ask of a running Clawport: of the engine in this process, or of a hub over its socket.
 * Each method but `tools.call` is a row of `control-verbs.ts`.
 */
export interface HubControl extends StateControl {
  readonly servers: ServersControl & ServerEdits;
  readonly tools: ToolsControl;
  readonly signIns: SignInsControl;
  readonly apps: AppsControl;
  readonly configuration: ConfigurationControl;
  readonly rules: RulesControl;
  readonly machine: MachineControl;
  readonly agent: AgentControl;
  readonly clients: ClientsControl;
  readonly doctor: DoctorControl;
  readonly usage: UsageControl;
  readonly status: StatusControl;
}

/** The part that needs the state folder only, no running engine. */
export interface StateControl {
  readonly tokens: TokensControl;
  readonly approvals: ApprovalsControl;
  readonly pins: PinsControl;
  readonly audit: AuditControl;
  readonly conversations: ConversationsControl;
}

export interface ServersControl {
  /** Every configured server, including those that are disabled or disconnected. */
  list(): Promise<readonly ServerStatus[]>;
  /** Connects a configured server and fetches its lists. Faults if that fails. */
  connect(name: string): Promise<ServerStatus>;
  /** Closes the connection until `connect` is called. The configuration stays as it is. */
  disconnect(name: string): Promise<ServerStatus>;
  /** Fetches the lists of one server again, or of all. If one of many fails, its status says so. */
  refresh(name?: string): Promise<readonly ServerStatus[]>;
  /** The last output of the server on stderr. */
  logs(name: string): Promise<string>;
}

/** A tool under its name in the catalog. */
export interface ListedTool extends Tool {
  readonly source: string;
  /** Why its arguments are no longer checked against its schema; absent if they are, or were not checked yet. */
  readonly unchecked?: string;
  /** Its server judges its arguments. Otherwise those that don't fit the schema are refused. */
  readonly judgesArguments?: true;
}

export interface ToolsControl extends ToolsInsight {
  /** All tools, or those of one source. */
  list(source?: string): Promise<readonly ListedTool[]>;
  find(name: string): Promise<ListedTool | undefined>;
  /** Calls a tool through the guard. A remote call goes through the MCP endpoint, so that the hub can ask back. */
  call(tool: ListedTool, args: Readonly<Record<string, unknown>>, context: CallContext): Promise<ToolResult>;
}

export interface TokenEntry {
  readonly name: string;
  /** The only source or sources it gives access to; null for everything. */
  readonly view: TokenView | null;
  /** Which surface its clients get; absent if that is left to the configuration. */
  readonly surface?: SurfaceSetting;
  /** It gives access to the metrics only. */
  readonly metrics?: true;
  /** In ISO 8601; null for the main token. */
  readonly created: string | null;
}

export interface AddedToken {
  readonly name: string;
  readonly view: TokenView | null;
  /** The token itself. It is stored as a hash, so this is the only time it can be read. */
  readonly token: string;
}

export interface TokensControl {
  /** The main token first. */
  list(): Promise<readonly TokenEntry[]>;
  /** With views it gives access to these sources only, with `metrics` to the metrics only. */
  add(name: string, views?: readonly string[], metrics?: boolean, surface?: SurfaceSetting): Promise<AddedToken>;
  remove(name: string): Promise<void>;
  /** Replaces the main token. The new one is in the file at `path`: it is not sent anywhere. */
  reset(): Promise<{ readonly path: string }>;
}

export interface ApprovalsList extends Pick<ApprovalsFile, "approvals" | "waiting"> {
  /** Calls that no one answered in time. They are over, but can be approved for when they are made again. */
  readonly refused: ApprovalsFile["waiting"];
  /** Definitions of servers that wait for an answer. */
  readonly changed: readonly HeldDefinition[];
}

/** Whoever allows something says whether a person confirmed it. */
export interface Confirmation {
  /** A person saw what is allowed, and confirmed it. Without that it is refused, unless the owner configured otherwise. */
  readonly confirmed?: boolean | undefined;
}

export interface ApprovalRequest extends Confirmation {
  /** `once` unless given. */
  readonly answer?: ApprovalAnswer | undefined;
  /** Allows more than this call, from now on. */
  readonly widened?: Widening | undefined;
  /** The hash of the call that the person saw. */
  readonly seen?: string | undefined;
  /** How the person answers, for the audit; at a terminal unless given. It is not taken from a request. */
  readonly by?: AnswerWay | undefined;
}

export interface AcceptRequest extends Confirmation {
  /** The hashes of the definitions that the person saw. A server may have listed another one since then. */
  readonly seen?: readonly string[] | undefined;
}

export interface ApprovalsControl {
  /** Remembered answers, calls that wait for approval or were refused, and tools that have changed since they were first listed. */
  list(): Promise<ApprovalsList>;
  /** One call with the whole question, which only the process that judges the call has. Faults if it does not wait. */
  show(id: string): Promise<ShownCall>;
  /** Answers one waiting call, by its id. Faults if it does not wait, or if it can't be shown in full and this is a yes. */
  approve(id: string, request?: ApprovalRequest): Promise<GivenAnswer>;
  /** Accepts the definition that a server lists now, by its name. Faults if there is nothing to accept. */
  accept(name: string, request?: AcceptRequest): Promise<readonly HeldDefinition[]>;
  /** Rejects that definition: it stays blocked, and no longer waits until the server lists another one. */
  reject(name: string, request?: Pick<AcceptRequest, "seen">): Promise<readonly HeldDefinition[]>;
  /** Forgets the remembered answers for a tool, so that the guard asks again. Faults if there are none. */
  forget(tool: string): Promise<readonly Approval[]>;
}

export interface PinsControl {
  /** Definitions that servers changed or added: those that wait for approval, and those that were rejected. */
  list(): Promise<readonly HeldDefinition[]>;
  /** Forgets the pins of a server, so that what it lists next is pinned anew. Faults if there are none. */
  forget(server: string, confirmation?: Confirmation): Promise<{ readonly forgotten: number }>;
}

export interface AuditQuery {
  /** Only tools whose name matches this glob. */
  readonly tool?: string | undefined;
  /** Only calls with this outcome, such as `ok` or `denied`. */
  readonly outcome?: string | undefined;
  /** The most lines to return; 20 unless given. */
  readonly limit?: number | undefined;
  /** Only lines after this position, oldest first. Without it: the latest lines. */
  readonly after?: string | undefined;
  /** How long to wait for a line if there is none yet. */
  readonly waitMs?: number | undefined;
}

export interface AuditPage {
  readonly lines: readonly FoundCall[];
  /** The position to continue from, as `after`. */
  readonly next: string;
}

export interface AuditControl extends AuditInsight {
  /** To follow the audit, call it again with `after` and `waitMs`. */
  read(query?: AuditQuery): Promise<AuditPage>;
}

export interface ConversationsControl {
  /** Latest first; of one store, or of all that can be reached. */
  list(from?: ConversationPlace): Promise<readonly ConversationSummary[]>;
  /** Faults if there is none with this key, or one in each store. */
  show(key: string, from?: ConversationPlace): Promise<ConversationTranscript>;
  remove(
    key: string,
    from?: ConversationPlace,
  ): Promise<{ readonly deleted: string; readonly place: ConversationPlace }>;
}

/** An app that is connected to the app proxy, or was a moment ago. */
export interface AppSession {
  /** A hash: the id itself would give access to the session. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly tools: readonly string[];
  readonly bridge: "connected" | "disconnected";
  readonly callsInFlight: number;
  readonly expiresAt: string;
}

export interface AppsControl {
  /** Empty if no app proxy is open. */
  list(): Promise<readonly AppSession[]>;
}

/** The file that the active configuration was read from, or that would be read if it existed. */
export interface ConfigPlace {
  readonly path: string;
  readonly location: ConfigLocation;
}

export interface ConfigText extends ConfigPlace {
  /** As it is written, with literal secrets masked. Absent if there is no file, or if it can't be masked safely. */
  readonly text?: string | undefined;
  /** Everything that is wrong with it, or that keeps a server off. */
  readonly problems: readonly ConfigProblem[];
  /** Of the file as it is, for `write`; that of an empty text if there is no file. */
  readonly hash: string;
}

/** Writing it needs a person: a server can be any command, so that right belongs to the owner of the file. */
export interface ConfigurationControl extends ConfigurationEdits {
  place(): Promise<ConfigPlace>;
  read(): Promise<ConfigText>;
  /** Applies what the file says now. */
  reload(): Promise<void>;
}

export interface DoctorControl {
  findings(): Promise<readonly Examined[]>;
}

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
  readonly lastCall: string;
}

export interface HubStatus {
  /** `http://127.0.0.1:8765`; absent if it does not serve HTTP. */
  readonly address?: string | undefined;
  /** Where apps connect, if the app proxy is open. */
  readonly appsAddress?: string | undefined;
  /** The file with the token that apps connect with, if the hub made it. */
  readonly appsTokenPath?: string | undefined;
  readonly version: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly uptimeMs: number;
  readonly sources: readonly SourceStatus[];
  /** MCP sessions that are open over HTTP; absent if it does not serve HTTP. */
  readonly sessions?: number | undefined;
  /** Calls that ended since the start, and those of them that did not end with `ok`. */
  readonly calls: number;
  readonly failedCalls: number;
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

export interface StatusControl extends StatusInsight {
  read(): Promise<HubStatus>;
  forRelay(): Promise<RelayFacts>;
  /** Adds to `surfaces` what a client of a relay got: the relay chooses, since it knows its client. */
  noteSurface(given: GivenSurface): Promise<void>;
  /** The last lines of the hub's own log. */
  log(): Promise<readonly string[]>;
}
