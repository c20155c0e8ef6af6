/** How a state is meant: all is well, it needs the user, it is broken, nothing is wrong and nothing runs, or it is under way. */
export type StateTone = "good" | "weak" | "bad" | "quiet" | "busy";

interface StateRow {
  readonly word: string;
  readonly tone: StateTone;
  /** A sentence for the documents. */
  readonly meaning: string;
  /** What the user can do about it, as arguments of `clawport`. */
  readonly remedy?: (server: { readonly name: string; readonly address: string }) => string;
}

const showOutput: StateRow["remedy"] = ({ name, address }) =>
  `${address.startsWith("stdio://") ? "logs" : "status"} ${name}`;

/** The states of a server: one row for the command line, the console, the doctor, the metrics and the documents. */
export const serverStates = {
  ready: {
    word: "Connected",
    tone: "good",
    meaning: "Its tools can be called. A server that is a command shows as *Running*.",
  },
  degraded: {
    word: "Degraded",
    tone: "weak",
    meaning: "It is connected, but does not answer well, or its lists can't be read.",
    remedy: showOutput,
  },
  connecting: { word: "Connecting", tone: "busy", meaning: "It is starting, or is being contacted." },
  reconnecting: {
    word: "Reconnecting",
    tone: "bad",
    meaning: "It can't be reached, or its process exited. Clawport tries again after 1, 2, 4 … 60 seconds.",
    remedy: showOutput,
  },
  "needs-sign-in": {
    word: "Needs sign-in",
    tone: "weak",
    meaning: "It requires an account.",
    remedy: ({ name }) => `auth ${name}`,
  },
  "needs-key": {
    word: "Needs a key",
    tone: "weak",
    meaning: "It rejects requests without a valid key, and has no sign-in.",
    remedy: ({ name }) => `connect ${name} --api-key <key>`,
  },
  "needs-variable": {
    word: "Needs a variable",
    tone: "weak",
    meaning: "Its settings use an environment variable that is not set where the hub was started.",
    remedy: () => "doctor",
  },
  queued: { word: "Queued", tone: "quiet", meaning: "It connects with its first call." },
  sleeping: { word: "Sleeping", tone: "quiet", meaning: "Its process starts with its next call." },
  disconnected: {
    word: "Disconnected",
    tone: "quiet",
    meaning: "You disconnected it.",
    remedy: ({ name }) => `connect ${name}`,
  },
  disabled: {
    word: "Disabled",
    tone: "quiet",
    meaning: "It has `enabled: false` in the configuration.",
    remedy: ({ name }) => `connect ${name} --enable`,
  },
  unusable: {
    word: "Invalid configuration",
    tone: "bad",
    meaning: "Its settings contradict each other.",
    remedy: () => "config check",
  },
  stopped: { word: "Stopped", tone: "bad", meaning: "Its connection was closed for good, as when the hub stops." },
} as const satisfies Readonly<Record<string, StateRow>>;

export type ServerState = keyof typeof serverStates;

/** How a server is spoken to, in words: the names of the eras read like a fault. */
export function protocolText({ version = "", era }: { readonly version?: string; readonly era?: string }): string {
  return era === undefined ? version : `${version}, ${era === "legacy" ? "with sessions" : "stateless"}`;
}

/** A state that a hub of another version sent may be unknown. */
export function serverStateRow(state: string): StateRow {
  return Object.hasOwn(serverStates, state)
    ? serverStates[state as ServerState]
    : { word: state, tone: "quiet", meaning: "" };
}

/** The word for a state: that of a connected server depends on whether it is a process. */
export function serverWord({ state, address }: { readonly state: string; readonly address: string }): string {
  return state === "ready" && address.startsWith("stdio://") ? "Running" : serverStateRow(state).word;
}
