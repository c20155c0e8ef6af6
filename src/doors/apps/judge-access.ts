import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Fault } from "../../core/fault.ts";
import { hashToken } from "../../core/hash-token.ts";
import { bearerToken } from "../../mcp/http/header-rules.ts";
import type { Headers } from "../../mcp/mirrored-headers.ts";

/** The WebSocket subprotocol of the bridge; a browser sends its token as a second one, since it can't send headers. */
export const bridgeProtocol = "clawport.bridge";
const tokenProtocol = "bearer.";

/** The token of a request and its hash, where there is one. */
export interface Shown {
  readonly token: string | undefined;
  readonly hash: string | undefined;
}

export interface AccessFacts {
  readonly shown: Shown;
  /** Hash of the token that opens every session; nothing where anyone may. */
  readonly sharedHash: string | undefined;
  /** What opens the one session that is asked for, where it is known. */
  readonly own?: { readonly hash: string; readonly only: boolean } | undefined;
}

/** Which token opened the way: the shared one (or none was needed), the session's own, or neither. */
export function judgeAccess({ shown, sharedHash, own }: AccessFacts): "shared" | "own" | "refused" {
  const theirs = shown.hash;
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
export function refusedToken({ token }: Shown, wanted: string): Fault {
  const what = token === undefined ? "A token is needed here" : "This token does not open this";
  return new Fault("unauthorized", `${what}: send the header Authorization: Bearer <token>, with ${wanted}.`);
}

/** What each connection showed last: most show the same with every request, and one learns nothing from its own token. */
const lastShown = new WeakMap<Socket, Shown & { readonly authorization: string }>();

export function shownBy({ headers, socket }: IncomingMessage): Shown {
  const { authorization } = headers;
  const last = lastShown.get(socket);
  if (last !== undefined && last.authorization === authorization) return last;
  const token = presentedToken(headers);
  const shown = { token, hash: token === undefined ? undefined : hashToken(token) };
  if (authorization !== undefined) lastShown.set(socket, { ...shown, authorization });
  return shown;
}

/** In the header `Authorization`, or as a subprotocol where the bridge is asked for. */
function presentedToken(headers: Headers): string | undefined {
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
