/** What is counted about sessions, bridges and calls: the values of the label `event` in the metrics. */
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
