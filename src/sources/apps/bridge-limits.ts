export interface BridgeLimits {
  /** Calls that run at the same time. */
  readonly mostInFlight: number;
  /** Bytes that may wait for a slow app before calls are refused; at the next beat of the heart it is cut off. */
  readonly mostUnsent: number;
  /** Messages beside results, and their bytes, that an app may send in one beat of the heart. */
  readonly mostChatter: number;
  readonly mostChatterBytes: number;
}

export const defaultBridgeLimits: BridgeLimits = {
  mostInFlight: 64,
  mostUnsent: 8 * 1024 * 1024,
  mostChatter: 10_000,
  mostChatterBytes: 16 * 1024 * 1024,
};
