import type { AuditLine } from "../../../catalog/audit/audit-line.ts";
import type { ToolAnnotations } from "../../../mcp/messages/tool.ts";

export interface AuditSearch {
  /** A glob: `files__*`. */
  readonly tool?: string | undefined;
  /** Part of what names the caller: its door, token, client, sender or agent. */
  readonly caller?: string | undefined;
  readonly outcome?: string | undefined;
  /** Part of any field. */
  readonly text?: string | undefined;
  /** Only lines before this one, by its id. */
  readonly before?: string | undefined;
  /** The most lines to return; 100 unless given, at most 1,000. */
  readonly limit?: number | undefined;
}

export interface FoundCall extends AuditLine {
  /** Names this line while its file is kept. */
  readonly id: string;
}

export interface AuditMatches {
  /** Newest first. */
  readonly lines: readonly FoundCall[];
  /** Where to continue, as `before`; absent if there is nothing left. */
  readonly next?: string | undefined;
  /** How many lines were looked at. */
  readonly searched: number;
}

/** One step of a call, as the audit shows it. */
export interface CallStep {
  readonly step: "arrived" | "judged" | "ran" | "ended";
  readonly at: string;
  readonly text: string;
}

export interface CallDetail {
  readonly line: FoundCall;
  readonly steps: readonly CallStep[];
  /** What was called while it ran, on its behalf. */
  readonly inside: readonly FoundCall[];
}

export interface AuditInsight {
  /** Over everything that is kept. */
  search(query?: AuditSearch): Promise<AuditMatches>;
  /** Faults with `not-found` if the line is no longer kept. */
  steps(id: string): Promise<CallDetail>;
}

export interface ToolQuery {
  readonly query?: string | undefined;
  readonly source?: string | undefined;
  readonly offset?: number | undefined;
  /** 50 unless given, at most 200. */
  readonly limit?: number | undefined;
  /** If no tool has all of the words, those that come closest in meaning. */
  readonly closest?: boolean | undefined;
}

/** A tool in a list. `tools.find` has its schema. */
export interface ToolRow {
  readonly name: string;
  readonly source: string;
  readonly title?: string;
  /** Cut to its first sentence or 300 characters. */
  readonly description: string;
  readonly annotations?: ToolAnnotations | undefined;
  /** What its definition costs a model, estimated. */
  readonly tokens: number;
}

export interface ToolPage {
  readonly total: number;
  readonly tools: readonly ToolRow[];
  /** None has all of the words: these come closest. */
  readonly isClosest?: true;
}

export interface ToolsInsight {
  search(query?: ToolQuery): Promise<ToolPage>;
}

export interface Attention {
  readonly kind: "sign-in" | "server-down" | "pairing" | "approval" | "pin" | "refused" | "audit";
  /** The server, the id of the call that waits or was refused, the definition, or the gateway. */
  readonly subject: string;
  readonly message: string;
}

/** One minute of calls. */
export interface SeriesPoint {
  /** When the minute began, in ISO 8601. */
  readonly at: string;
  readonly calls: number;
  readonly errors: number;
  /** In milliseconds; absent if there was no call. */
  readonly p50?: number | undefined;
  readonly p95?: number | undefined;
  /** Milliseconds, and how many calls took about that long; shortest first. Medians of minutes can't be added up, these can. */
  readonly times?: readonly (readonly [ms: number, calls: number])[] | undefined;
}

export interface StatusInsight {
  attention(): Promise<readonly Attention[]>;
  /** The last minutes, oldest first; 60 unless given, at most 1,440. */
  series(minutes?: number): Promise<readonly SeriesPoint[]>;
}
