import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Fault } from "../../core/fault.ts";
import { bearerToken, type RequestHeaders } from "../../core/http/request-headers.ts";
import { hashToken } from "../../core/secrets/crypto.ts";
import { type RegisteredSession, sessionTokenShape } from "../../sources/apps/session/live-session.ts";

/** The WebSocket subprotocol of the bridge; a browser sends its token as a second one, since it can't send headers. */
export const bridgeProtocol = "clawport.bridge";
const tokenProtocol = "bearer.";

/** The token of a request, where there is one. */
export class PresentedToken {
  readonly token: string | undefined;
  readonly hash: string | undefined;
  #compared: string | undefined;
  #isSame = false;

  constructor(token: string | undefined) {
    this.token = token;
    this.hash = token === undefined ? undefined : hashToken(token);
  }

  /** Whether it is the token of this hash. A person chose it, and the time of a plain comparison would give away a weak one. */
  is(hash: string): boolean {
    if (this.hash === undefined) return false;
    if (this.#compared !== hash) {
      this.#compared = hash;
      this.#isSame = timingSafeEqual(Buffer.from(this.hash, "latin1"), Buffer.from(hash, "latin1"));
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
  /** Hash of the token that opens every session; nothing where anyone may. */
  readonly sharedHash: string | undefined;
  /** What opens the one session that is asked for, where one is; `unknown` where there is none of that name. */
  readonly sessionToken?: SessionToken | "unknown";
}

/**
 * Which token opened the way: the shared one (or none was needed), the session's own, or neither. What opened a session
 * that is gone opens nothing, but whoever shows it has to learn that the session is what is missing.
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
    // How long this comparison takes tells a little of the hash of 24 random bytes, which is of no use to anybody.
    if (presented.hash === sessionToken.hash) return "own";
    if (sessionToken.only) return "refused";
  }
  return sharedHash === undefined || presented.is(sharedHash) ? "shared" : "refused";
}

/** What opens the bridge of a session, and the session itself. */
export function bridgeTokenOf({ record }: RegisteredSession): SessionToken {
  return { hash: record.bridgeTokenHash, only: record.ownTokens !== "none" };
}

/** What to tell somebody whose token, if any, was refused. */
export function refusedToken({ token }: PresentedToken, wanted: string): Fault {
  const what = token === undefined ? "A token is needed here" : "This token does not open this";
  return new Fault("unauthorized", `${what}: send the header Authorization: Bearer <token>, with ${wanted}.`);
}

/** What each connection showed last: most show the same with every request, and one learns nothing from its own token. */
const lastPresented = new WeakMap<Socket, { readonly authorization: string; readonly presented: PresentedToken }>();

export function presentedBy({ headers, socket }: IncomingMessage): PresentedToken {
  const { authorization } = headers;
  const last = lastPresented.get(socket);
  if (last !== undefined && last.authorization === authorization) return last.presented;
  const presented = new PresentedToken(tokenInHeaders(headers));
  if (authorization !== undefined) lastPresented.set(socket, { authorization, presented });
  return presented;
}

/** In the header `Authorization`, or as a subprotocol where the bridge is asked for. */
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
