/**
 * One row per kind of failure. `rpc` is the JSON-RPC number, `http` the status, `exit` the exit code of a command,
 * `retry` whether the same request may safely be sent again as it is.
 */
const faults = {
  usage: { rpc: -32602, http: 400, exit: 2, retry: false },
  "bad-request": { rpc: -32600, http: 400, exit: 2, retry: false },
  "bad-method": { rpc: -32600, http: 405, exit: 2, retry: false },
  "bad-json": { rpc: -32700, http: 400, exit: 2, retry: false },
  "bad-params": { rpc: -32602, http: 400, exit: 2, retry: false },
  "unknown-method": { rpc: -32601, http: 404, exit: 2, retry: false },
  "unknown-tool": { rpc: -32602, http: 200, exit: 3, retry: false },
  "unknown-resource": { rpc: -32602, http: 200, exit: 3, retry: false },
  "unknown-prompt": { rpc: -32602, http: 200, exit: 3, retry: false },
  "unknown-session": { rpc: -32001, http: 404, exit: 3, retry: false },
  "header-mismatch": { rpc: -32020, http: 400, exit: 2, retry: false },
  "missing-capability": { rpc: -32021, http: 400, exit: 2, retry: false },
  "unsupported-version": { rpc: -32022, http: 400, exit: 2, retry: false },
  config: { rpc: -32603, http: 500, exit: 78, retry: false },
  untrusted: { rpc: -32603, http: 403, exit: 77, retry: false },
  denied: { rpc: -32603, http: 403, exit: 77, retry: false },
  unauthorized: { rpc: -32603, http: 401, exit: 77, retry: false },
  "not-found": { rpc: -32600, http: 404, exit: 3, retry: false },
  conflict: { rpc: -32603, http: 409, exit: 1, retry: false },
  "too-large": { rpc: -32600, http: 413, exit: 2, retry: false },
  "slow-request": { rpc: -32600, http: 408, exit: 75, retry: true },
  "rate-limited": { rpc: -32603, http: 429, exit: 75, retry: true },
  busy: { rpc: -32603, http: 503, exit: 75, retry: true },
  /** This process is stopping and has not run the request: another one, or its successor, can. */
  stopping: { rpc: -32010, http: 503, exit: 75, retry: true },
  locked: { rpc: -32603, http: 503, exit: 75, retry: true },
  unavailable: { rpc: -32603, http: 503, exit: 69, retry: true },
  timeout: { rpc: -32603, http: 504, exit: 75, retry: false },
  "outcome-unknown": { rpc: -32603, http: 502, exit: 75, retry: false },
  unanswered: { rpc: -32603, http: 502, exit: 75, retry: false },
  cancelled: { rpc: -32603, http: 499, exit: 130, retry: false },
  io: { rpc: -32603, http: 500, exit: 74, retry: false },
  corrupt: { rpc: -32603, http: 500, exit: 65, retry: false },
  internal: { rpc: -32603, http: 500, exit: 70, retry: false },
} as const;

export type FaultCode = keyof typeof faults;

export interface FaultRow {
  readonly rpc: number;
  readonly http: number;
  readonly exit: number;
  readonly retry: boolean;
}

export interface FaultOptions {
  /** For programs: travels as `error.data` and in `--json` output, so it never holds a secret. */
  readonly detail?: unknown;
  readonly cause?: unknown;
}

/** Everything thrown on purpose. The message tells a person what to do now; programs branch on `code`. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly detail: unknown;

  constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Fault";
    this.code = code;
    this.detail = options.detail;
  }

  get row(): FaultRow {
    return faults[this.code];
  }
}

/** For codes that another process sent as text. */
export function isFaultCode(code: unknown): code is FaultCode {
  return typeof code === "string" && Object.hasOwn(faults, code);
}

export function isFault(error: unknown, code?: FaultCode): error is Fault {
  return error instanceof Fault && (code === undefined || error.code === code);
}

/** Anything thrown, as a Fault. What was not thrown on purpose is `internal`, with the original as its cause. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return new Fault("internal", messageOf(error), { cause: error });
}

/** The code of something thrown by the platform (`ENOENT`, `ERR_…`), if it has one. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
