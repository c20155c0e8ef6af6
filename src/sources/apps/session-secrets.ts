import { randomBytes } from "node:crypto";

/** A name nobody can guess, safe in a path, a header and a subject of a message bus. */
export function makeSessionId(): string {
  return randomBytes(16).toString("base64url");
}

export const sessionIdShape = /^[A-Za-z0-9_-]{22}$/;

export const sessionTokenShape = /^[A-Za-z0-9_-]{32}$/;

/** Its characters have to pass in a WebSocket subprotocol. */
export function makeSessionToken(): string {
  return randomBytes(24).toString("base64url");
}
