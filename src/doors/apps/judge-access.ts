import { timingSafeEqual } from "node:crypto";
import { Fault } from "../../core/fault.ts";
import { hashToken } from "../../core/hash-token.ts";
import { bearerToken } from "../../mcp/http/header-rules.ts";
import type { Headers } from "../../mcp/mirrored-headers.ts";

/** The WebSocket subprotocol of the bridge; a browser sends its token as a second one, since it can't send headers. */
export const bridgeProtocol = "clawport.bridge";
const tokenProtocol = "bearer.";

export interface AccessFacts {
  readonly presented: string | undefined;
  /** Hash of the token that opens every session; nothing where anyone may. */
  readonly sharedHash: string | undefined;
  /** What opens the one session that is asked for, where it is known. */
  readonly own?: { readonly hash: string; readonly only: boolean } | undefined;
}

/** Which token opened the way: the shared one (or none was needed), the session's own, or neither. */
export function judgeAccess({ presented, sharedHash, own }: AccessFacts): "shared" | "own" | "refused" {
  const theirs = presented === undefined ? undefined : hashToken(presented);
  // How long this comparison takes tells a little of the hash of 24 random bytes, which is of no use to anybody.
  if (own && theirs === own.hash) return "own";
  if (own?.only) return "refused";
  if (sharedHash === undefined) return "shared";
  // A shared token was chosen by a person, and the hash of a weak one would give it away.
  return theirs !== undefined && isSame(theirs, sharedHash) ? "shared" : "refused";
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, "latin1"), Buffer.from(other, "latin1"));
}

/** What to tell somebody whose token, if any, was refused. */
export function refusedToken(presented: string | undefined, wanted: string): Fault {
  const what = presented === undefined ? "A token is needed here" : "This token does not open this";
  return new Fault("unauthorized", `${what}: send the header Authorization: Bearer <token>, with ${wanted}.`);
}

/** The token of a request: in the header `Authorization`, or as a subprotocol where the bridge is asked for. */
export function presentedToken(headers: Headers): string | undefined {
  const { authorization } = headers;
  if (typeof authorization === "string") return bearerToken(authorization);
  const protocols = headers["sec-websocket-protocol"];
  if (typeof protocols !== "string" || protocols.length > 2048) return undefined;
  const found = protocols
    .split(",")
    .map((each) => each.trim())
    .find((each) => each.startsWith(tokenProtocol));
  return found?.slice(tokenProtocol.length);
}
