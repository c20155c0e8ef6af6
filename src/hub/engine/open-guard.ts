import type { AuditEntry } from "../../catalog/audit/audit-line.ts";
import { type Audit, type AuditLoss, noAudit, openAudit } from "../../catalog/audit/audit.ts";
import { type CallCounts, createCallCounts } from "../../catalog/audit/call-counts.ts";
import { type Catalog, createCatalog } from "../../catalog/catalog.ts";
import { type Approvals, openApprovals } from "../../catalog/guard/approvals.ts";
import { type Asker, type Askers, createAskers } from "../../catalog/guard/askers.ts";
import { createGuard, type Guard } from "../../catalog/guard/guard.ts";
import { openPins, type Pins } from "../../catalog/guard/pins.ts";
import type { Unsubscribe } from "../../catalog/source.ts";
import { openUsageLedger, type UsageLedger } from "../../catalog/usage/usage-ledger.ts";
import type { NamePatterns } from "../../catalog/unmatched-patterns.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { Policy } from "../../core/config/policy-config.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import type { NamedSecret } from "../../core/text/shown-text.ts";
import type { CallMetrics } from "../../core/telemetry/clawport-metrics.ts";
import { configId, hubFiles } from "../state/hub-files.ts";
import type { Closers } from "./engine-parts.ts";
import { openPause, type Pause, pausedText } from "../state/pause.ts";

export interface GuardedCatalog {
  readonly catalog: Catalog;
  readonly guard: Guard;
  readonly pins: Pins;
  readonly approvals: Approvals;
  readonly calls: CallCounts;
  readonly usage: UsageLedger;
  /** What is missing from the audit since the start. */
  auditLoss(): AuditLoss;
  /** Whom the guard may ask. */
  readonly askers: Askers;
  readonly pause: Pause;
  /** How many calls run now. */
  running(): number;
  /** Calls the listener after every call, with what the audit gets. */
  onCall(listener: (entry: AuditEntry) => void): Unsubscribe;
  /** Calls the listener when a call has begun to run. */
  onBegin(listener: () => void): Unsubscribe;
  /** Writes a line to the audit that is not a call, and counts as none. */
  noteEvent(entry: AuditEntry): void;
  /** Calls the listener when `tellRecording` is called: a recording began or ended, or its notification came or went. */
  onRecording(listener: () => void): Unsubscribe;
  tellRecording(): void;
}

/** An empty catalog and its guard. */
export function openGuardedCatalog(options: OpenGuardOptions): GuardedCatalog {
  const { config, log, closers } = options;
  const opened = openGuard(options);
  const { pins } = opened;
  const catalog = createCatalog({ ...config.catalog, screen: (source) => pins.screen(source), log });
  catalog.watchPatterns(rulePatterns(config.policy));
  closers.add("catalog", () => catalog.close());
  return { catalog, ...opened };
}

/** A rule that allows is compared with full names only; one that names none of them allows nothing. */
export function rulePatterns({ rules = [], folder }: Policy = {}): NamePatterns {
  const allowing = [...rules, ...(folder?.rules ?? [])].filter(
    ({ verdict, source }) => verdict === "allow" && source === undefined,
  );
  return { where: "policy", patterns: allowing.flatMap(({ tool }) => tool ?? []) };
}

export interface OpenGuardOptions {
  readonly home: Home;
  readonly config: Config;
  /** The file that the configuration is in, or would be. */
  readonly configPath: string;
  readonly log: Log;
  readonly closers: Closers;
  readonly askers?: readonly Asker[] | undefined;
  /** The values that the configuration took from variables: people see them by name. */
  readonly secrets?: (() => readonly NamedSecret[]) | undefined;
  readonly metrics?: CallMetrics | undefined;
  /** Hands whole questions to the process that people ask, if that is another one. */
  readonly shareQuestion?: ((id: string, question: string) => Promise<void>) | undefined;
}

/** A guard with the approvals, pins and audit of this state folder. */
function openGuard(options: OpenGuardOptions): Omit<GuardedCatalog, "catalog"> {
  const { home, config, configPath, log, closers, askers: some = [], metrics, secrets } = options;
  const { policy = {} } = config;
  const { enabled, arguments: keepsArguments, ...auditOptions } = config.audit;
  const isKept = enabled || auditOptions.required;
  const kept = isKept ? openAudit({ ...auditOptions, file: hubFiles.audit(home), log }) : noAudit;
  closers.add("audit", () => kept.close());
  const recovering = kept.recover();
  closers.add("recovery of the audit", () => recovering);
  const calls = createCallCounts();
  const usage = openUsageLedger({ folder: hubFiles.usage(home), log });
  closers.add("usage", () => usage.close());
  const listeners = new Set<(entry: AuditEntry) => void>();
  const beginListeners = new Set<() => void>();
  const recordingListeners = new Set<() => void>();
  let running = 0;
  const audit: Audit = {
    ...kept,
    begin(call) {
      kept.begin(call);
      running++;
      for (const listener of beginListeners) listener();
    },
    record(entry, begun) {
      if (begun !== undefined) running--;
      calls.note(entry);
      usage.note(entry);
      kept.record(entry, begun);
      for (const listener of listeners) listener(entry);
    },
  };
  const pins = openPins({ folder: hubFiles.pins(home, configPath), policy, log });
  closers.add("pins", () => pins.close());
  const approvals = openApprovals({
    file: hubFiles.approvals(home),
    config: configId(home, configPath),
    share: options.shareQuestion,
    log,
  });
  const askers = createAskers();
  for (const asker of some) askers.add(asker);
  const pause = openPause(hubFiles.pause(home));
  closers.add("pause", () => pause.close());
  const pausedBecause = (): string | undefined => {
    const paused = pause.state();
    return paused && pausedText(paused);
  };
  const guarding = { policy, approvals, pins, askers, audit, metrics, log, secrets, keepsArguments, pausedBecause };
  const guard = createGuard(guarding);
  const onCall: GuardedCatalog["onCall"] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    guard,
    pins,
    approvals,
    calls,
    usage,
    askers,
    pause,
    running: () => running,
    auditLoss: kept.loss,
    onCall,
    onBegin(listener) {
      beginListeners.add(listener);
      return () => beginListeners.delete(listener);
    },
    noteEvent: (entry) => kept.record(entry),
    onRecording(listener) {
      recordingListeners.add(listener);
      return () => recordingListeners.delete(listener);
    },
    tellRecording: () => recordingListeners.forEach((listener) => listener()),
  };
}
