import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Fault } from "../../core/fault.ts";
import { bearerToken, type RequestHeaders } from "../../core/http/request-headers.ts";
import { hashToken, isSameSecret } from "../../core/secrets/crypto.ts";
import { type RegisteredSession, sessionTokenShape } from "../../sources/apps/session/live-session.ts";

/** The WebSocket subprotocol of the bridge. A browser sends its token as a second one, since it can't send headers. */
export const bridgeProtocol = "clawport.bridge";
const tokenProtocol = "bearer.";

/** The token of a request, if it has one. */
export class PresentedToken {
  readonly token: string | undefined;
  readonly hash: string | undefined;
  #compared: string | undefined;
  #isSame = false;

  constructor(token: string | undefined) {
    this.token = token;
    this.hash = token === undefined ? undefined : hashToken(token);
  }

  /** Whether it is the token with this hash. Compared in constant time: a user may have chosen a weak shared token. */
  is(hash: string): boolean {
    if (this.hash === undefined) return false;
    if (this.#compared !== hash) {
      this.#compared = hash;
      this.#isSame = isSameSecret(this.hash, hash);
    }
    return this.#isSame;
  }
}

/** A token that opens one session, and whether it is the only one that does. */
export interface SessionToken {
  readonly hash: string;
  readonly only: boolean;
}

export interface AccessFacts {
  readonly presented: PresentedToken;
  /** Hash of the token that opens every session; undefined if no token is required. */
  readonly sharedHash: string | undefined;
  /** The token of the requested session; `unknown` if there is no such session, undefined if none was requested. */
  readonly sessionToken?: SessionToken | "unknown";
}

/**
 * Which token gives access: the shared one (or none is required), the session's own, or neither. A token that looks like
 * that of a session which no longer exists gives no access, but the client has to learn that the session is gone.
 */
export function judgeAccess({
  presented,
  sharedHash,
  sessionToken,
}: AccessFacts): "shared" | "own" | "gone" | "refused" {
  if (sessionToken === "unknown") {
    const isShared = sharedHash !== undefined && presented.is(sharedHash);
    if (!isShared && presented.token !== undefined && sessionTokenShape.test(presented.token)) return "gone";
  } else if (sessionToken) {
    // A plain comparison: its timing reveals a little of the hash of 24 random bytes, which is of no use to an attacker.
    if (presented.hash === sessionToken.hash) return "own";
    if (sessionToken.only) return "refused";
  }
  return sharedHash === undefined || presented.is(sharedHash) ? "shared" : "refused";
}

/** The token for the bridge of a session, and for the session itself. */
export function bridgeTokenOf({ record }: RegisteredSession): SessionToken {
  return { hash: record.bridgeTokenHash, only: record.ownTokens !== "none" };
}

/** The fault for a request whose token is missing or wrong. */
export function refusedToken({ token }: PresentedToken, required: string): Fault {
  const what = token === undefined ? "A token is required" : "This token is not accepted here";
  return new Fault("unauthorized", `${what}: send the header Authorization: Bearer <token>, with ${required}.`);
}

/** The last token of each connection: most send the same one with every request, so it is hashed only once. */
const lastPresented = new WeakMap<Socket, { readonly authorization: string; readonly presented: PresentedToken }>();

export function presentedBy({ headers, socket }: IncomingMessage): PresentedToken {
  const { authorization } = headers;
  const last = lastPresented.get(socket);
  if (last !== undefined && last.authorization === authorization) return last.presented;
  const presented = new PresentedToken(tokenInHeaders(headers));
  if (authorization !== undefined) lastPresented.set(socket, { authorization, presented });
  return presented;
}

/** In the header `Authorization`, or for the bridge as a subprotocol. */
function tokenInHeaders(headers: RequestHeaders): string | undefined {
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
