import { tokensOfSize } from "../estimate-tokens.ts";
import { serverStates } from "../server-states.ts";
import type { BoundCounter, BoundGauge, BoundHistogram } from "./instruments.ts";
import type { Metrics } from "./metrics.ts";

interface CallStart {
  readonly door: string;
  /** A name from the configuration or a kind of source, never an id that grants access. */
  readonly source: string;
}

interface CallEnd extends CallStart {
  readonly outcome: string;
  /** The fault's code, if the call failed. */
  readonly code?: string | undefined;
  /** How long it ran; undefined if it did not. */
  readonly seconds: number | undefined;
  /** How long it waited for approval; undefined if it did not. */
  readonly approvalSeconds?: number | undefined;
}

/** Recorded by the guard for every call. There is no label for the tool: ten thousand tools would be too many series. */
export interface CallMetrics {
  callStarted(call: CallStart): void;
  callEnded(call: CallEnd): void;
  /** A rule of screening applied to the arguments or the answer of a call. */
  found?(finding: FoundByRule): void;
}

interface FoundByRule {
  readonly source: string;
  readonly rule: string;
  readonly severity: string;
}

interface CallInstruments {
  readonly inFlight: BoundGauge;
  readonly seconds: BoundHistogram;
  readonly outcomes: Map<string, BoundCounter>;
  readonly errors: Map<string, BoundCounter>;
}

const secondBounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
] as const;

const cacheLimit = 1000;

export function createCallMetrics(metrics: Metrics): CallMetrics {
  const calls = metrics.counter({
    name: "clawport_calls_total",
    help: "Calls that ended, by how they ended.",
    labels: ["door", "source", "outcome"],
  });
  const errors = metrics.counter({
    name: "clawport_errors_total",
    help: "Calls that failed, by the code of the fault. A call that was refused did not fail.",
    labels: ["door", "source", "code"],
  });
  const seconds = metrics.histogram({
    name: "clawport_call_seconds",
    help: "Time that calls took, without the wait for approval.",
    labels: ["door", "source"],
    bounds: secondBounds,
  });
  const approvalSeconds = metrics.histogram({
    name: "clawport_approval_seconds",
    help: "Time that calls waited for approval.",
    labels: ["door", "source"],
    bounds: secondBounds,
  });
  const findings = metrics.counter({
    name: "clawport_findings_total",
    help: "What screening found in arguments and answers, by rule.",
    labels: ["source", "rule", "severity"],
  });
  const inFlight = metrics.gauge({
    name: "clawport_calls_in_flight",
    help: "Calls under way.",
    labels: ["door", "source"],
  });

  const byDoor = new Map<string, Map<string, CallInstruments>>();
  let cached = 0;

  function handlesOf({ door, source }: CallStart): CallInstruments {
    const known = byDoor.get(door)?.get(source);
    if (known !== undefined) return known;
    const handles: CallInstruments = {
      inFlight: inFlight.bind({ door, source }),
      seconds: seconds.bind({ door, source }),
      outcomes: new Map(),
      errors: new Map(),
    };
    if (cached < cacheLimit) {
      cached++;
      const sources = byDoor.get(door) ?? new Map<string, CallInstruments>();
      byDoor.set(door, sources.set(source, handles));
    }
    return handles;
  }

  return {
    found({ source, rule, severity }) {
      findings.inc({ source, rule, severity });
    },
    callStarted(call) {
      handlesOf(call).inFlight.add(1);
    },
    callEnded(call) {
      const { door, source, outcome, code } = call;
      const handles = handlesOf(call);
      handles.inFlight.add(-1);
      if (call.seconds !== undefined) handles.seconds.observe(call.seconds);
      if (call.approvalSeconds !== undefined) approvalSeconds.bind({ door, source }).observe(call.approvalSeconds);
      cachedCounter(handles.outcomes, outcome, () => calls.bind({ door, source, outcome })).inc();
      if (code !== undefined) cachedCounter(handles.errors, code, () => errors.bind({ door, source, code })).inc();
    },
  };
}

function cachedCounter(handles: Map<string, BoundCounter>, key: string, make: () => BoundCounter): BoundCounter {
  const known = handles.get(key);
  if (known !== undefined) return known;
  const made = make();
  // Codes and outcomes come from short lists; the limit only keeps a mistake from growing without end.
  if (handles.size < 64) handles.set(key, made);
  return made;
}

/** Recorded by the connections to MCP servers. The guard counts the calls themselves. */
export interface ServerMetrics {
  /** A connection was lost, or could not be made, and will be tried again. */
  reconnecting(server: string): void;
  /** Counts the servers by state on every scrape. Returns a function that stops it. */
  watchStates(read: () => Iterable<string>): () => void;
}

/** Also shown while no server has them: a graph should go to zero, not end. */
const usualStates = Object.keys(serverStates);

export function createServerMetrics(metrics: Metrics): ServerMetrics {
  const reconnects = metrics.counter({
    name: "clawport_server_reconnects_total",
    help: "Times a server's connection was lost or could not be made, to be tried again.",
    labels: ["server"],
  });
  return {
    reconnecting: (server) => reconnects.inc({ server }),
    watchStates(read) {
      const spec = { name: "clawport_servers", help: "Configured servers, by state.", labels: ["state"] } as const;
      return metrics.watch(spec, () => {
        const counts = new Map<string, number>(usualStates.map((state) => [state, 0]));
        for (const state of read()) counts.set(state, (counts.get(state) ?? 0) + 1);
        return Array.from(counts, ([state, count]) => [{ state }, count] as const);
      });
    },
  };
}

/** Each of these returns a function that stops watching: call it when what is counted is closed. */
export function watchConnections(metrics: Metrics, door: string, count: () => number): () => void {
  const spec = { name: "clawport_connections", help: "Open connections.", labels: ["door"] } as const;
  return metrics.watch(spec, () => [[{ door }, count()]]);
}

export function watchSessions(metrics: Metrics, count: () => number): () => void {
  return metrics.watch({ name: "clawport_sessions", help: "Open MCP sessions." }, () => [[{}, count()]]);
}

export function watchRefusedTokens(
  metrics: Metrics,
  read: () => { readonly wrong: number; readonly missing: number },
): () => void {
  const help = "Requests refused because of their token, since the start.";
  const spec = { name: "clawport_refused_tokens", help, labels: ["token"] } as const;
  return metrics.watch(spec, () => {
    const { wrong, missing } = read();
    return [
      [{ token: "wrong" }, wrong],
      [{ token: "missing" }, missing],
    ];
  });
}

export function watchAuditLoss(metrics: Metrics, lost: () => number): () => void {
  const help = "Calls that are missing from the audit because it could not be written.";
  return metrics.watch({ name: "clawport_audit_lost_total", help, type: "counter" }, () => [[{}, lost()]]);
}

export function watchQueue(metrics: Metrics, queue: string, length: () => number): () => void {
  const spec = { name: "clawport_queue_length", help: "Entries that wait.", labels: ["queue"] } as const;
  return metrics.watch(spec, () => [[{ queue }, length()]]);
}

/** What calls carried since the start, in characters of JSON, by source. */
type CarriedSizes = ReadonlyMap<
  string,
  { readonly sizeIn: number; readonly sizeOut: number; readonly sizeKept: number }
>;

/** Estimated, and counted by what was sent: `kept` is what previews left out. */
export function watchTokens(metrics: Metrics, read: () => CarriedSizes): () => void {
  const name = "clawport_tokens_total";
  const help = "Tokens of arguments (in) and of results (out, without what was kept), estimated.";
  return metrics.watch({ name, help, labels: ["source", "direction"], type: "counter" }, () =>
    [...read()].flatMap(([source, { sizeIn, sizeOut, sizeKept }]) => [
      [{ source, direction: "in" }, tokensOfSize(sizeIn)] as const,
      [{ source, direction: "out" }, tokensOfSize(sizeOut - sizeKept)] as const,
      [{ source, direction: "kept" }, tokensOfSize(sizeKept)] as const,
    ]),
  );
}
