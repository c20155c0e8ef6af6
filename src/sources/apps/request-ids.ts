import { randomBytes } from "node:crypto";

/**
 * Ids for the calls of one session: `<session>:1`, `<session>:2`, … An app may remember them across a restart of ours,
 * so a session that was brought back counts under a name of its own and repeats none.
 */
export function createRequestIds(sessionId: string, isRevived: boolean): () => string {
  const prefix = isRevived ? `${sessionId}:${randomBytes(4).toString("hex")}-` : `${sessionId}:`;
  let count = 0;
  return () => `${prefix}${++count}`;
}
