/** What is worth counting about sessions, bridges and calls. */
export type AppEvent =
  | "session created"
  | "session deleted"
  | "session expired"
  | "bridge connected"
  | "bridge lost"
  | "bridge replaced"
  | "bridge dead"
  | "late result"
  | "ignored message"
  | "malformed message"
  | "flood"
  | "outcome unknown"
  | "call timeout"
  | "call resent"
  | "bad result"
  | "refused token"
  | "refused origin"
  | "unknown session"
  | "bad request"
  | "too large"
  | "busy"
  | "refused call"
  | "refused for memory"
  | "slow reader"
  | "rate limited";

export type CountEvent = (event: AppEvent) => void;
