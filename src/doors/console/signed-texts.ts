/**
 * What the console's page and the hub sign for each other, and the headers that carry it. Both sides import this file.
 * Each text begins with what it is for, so that none can be passed off as another.
 */

/** Of a request: `<session>.<channel>.<counter>.<hash of the body>.<MAC>`. */
export const requestHeader = "x-clawport-console";
/** Of every answer to a request that the hub knows the key of. */
export const proofHeader = "x-clawport-proof";

/** What HKDF makes of a link's secret: a key to sign in with, and after that another one for the session. */
export const linkKeyInfo = "clawport console link";
export const sessionKeyInfo = "clawport console session";

/** The salt of a session's key: without the page's nonce and the hub's id, the link alone does not lead to the key. */
export function sessionSalt(nonce: string, session: string): string {
  return `${nonce}.${session}`;
}

export function signInText(code: string, nonce: string): string {
  return `sign in\n${code}\n${nonce}`;
}

/** By this, under the session's new key, the page knows that it has signed in to the hub that made its link. */
export function signedInText(session: string): string {
  return `signed in\n${session}`;
}

/** One request. A channel is one load of the page, which numbers its requests. */
export interface SignedRequest {
  readonly session: string;
  readonly channel: string;
  readonly counter: number;
  readonly method: string;
  /** With the query, as it is sent. */
  readonly path: string;
  /** SHA-256, in base64url, as everything here. */
  readonly bodyHash: string;
}

export function requestText({ session, channel, counter, method, path, bodyHash }: SignedRequest): string {
  return `request\n${session}\n${channel}\n${counter}\n${method}\n${path}\n${bodyHash}`;
}

/** The counter makes it fresh: no earlier answer fits. */
export function answerText({ session, channel, counter }: Pick<SignedRequest, "session" | "channel" | "counter">) {
  return `answer\n${session}\n${channel}\n${counter}`;
}

export function formatSignature({ session, channel, counter, bodyHash }: SignedRequest, mac: string): string {
  return `${session}.${channel}.${counter}.${bodyHash}.${mac}`;
}

/** Undefined if the header is no such signature: pages of earlier versions sent something else. */
export function parseSignature(
  header: unknown,
): (Omit<SignedRequest, "method" | "path"> & { mac: string }) | undefined {
  const parts = typeof header === "string" ? signature.exec(header) : null;
  if (parts === null) return undefined;
  const [, session = "", channel = "", counter = "", bodyHash = "", mac = ""] = parts;
  return { session, channel, counter: Number(counter), bodyHash, mac };
}

const signature = /^([\w-]{43})\.([\w-]{22})\.([1-9]\d{0,14})\.([\w-]{43})\.([\w-]{43})$/;
