import { isLoopbackPeer } from "../../core/http/addresses.ts";
import {
  hasRepeatedHost,
  isAllowedHost,
  isJson,
  isKnownHttpVersion,
  type RequestHeaders,
} from "../../core/http/request-headers.ts";

/** What is known about a request for the console before its session is looked up. */
export interface ConsoleFacts {
  readonly peer: string | undefined;
  readonly method: string;
  readonly headers: RequestHeaders;
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
}

export type ConsoleVerdict =
  | { readonly pass: true }
  | { readonly pass: false; readonly status: number; readonly reason: string };

/**
 * Whether this is a browser on this machine, whatever the hub listens on. A proxy that hands on the requests of other
 * machines gives itself away by its headers, or by the `Host` it keeps.
 */
function judgePlace({ peer, headers, rawHeaders, httpVersion }: ConsoleFacts): ConsoleVerdict {
  if (!isLoopbackPeer(peer)) return farPeer;
  if (!isKnownHttpVersion(httpVersion)) return refusal(505, "Use HTTP/1.1.");
  if (hasRepeatedHost(rawHeaders)) return refusal(400, "Send one Host header.");
  if (!isAllowedHost(headers["host"], undefined)) return refusal(403, "Open the console at 127.0.0.1 or localhost.");
  if (proxyHeaders.some((name) => headers[name] !== undefined)) return farPeer;
  return pass;
}

/**
 * The page and its files. Anyone on this machine may load them: they hold nothing. Other sites may not embed them, and a
 * browser that loads a sign-in link ahead of its user would use it up.
 */
export function judgePageRequest(facts: ConsoleFacts): ConsoleVerdict {
  const place = judgePlace(facts);
  if (!place.pass) return place;
  const { method, headers } = facts;
  if (method !== "GET" && method !== "HEAD") return refusal(405, "Use GET.");
  if (isFrame(headers)) return framed;
  const isAhead = /prefetch|prerender/.test(`${String(headers["sec-purpose"])} ${String(headers["purpose"])}`);
  if (isAhead) return refusal(403, "Open this page yourself.");
  const isNavigation = headers["sec-fetch-mode"] === "navigate";
  return isNavigation || isSameSite(headers) ? pass : otherOrigin;
}

/** Only the page itself may ask: no other origin, not even one of another port of this machine. */
export function judgeApiRequest(facts: ConsoleFacts): ConsoleVerdict {
  const place = judgePlace(facts);
  if (!place.pass) return place;
  const { method, headers } = facts;
  if (method !== "POST" && method !== "GET") return refusal(405, "Use POST.");
  const { origin, "sec-fetch-site": site } = headers;
  // A browser sends `Origin` with every POST, and `Sec-Fetch-Site` with everything.
  if (origin === undefined && (site === undefined || method === "POST")) return otherOrigin;
  if (origin !== undefined && origin !== `http://${String(headers["host"])}`) return otherOrigin;
  if (site !== undefined && site !== "same-origin") return otherOrigin;
  if (method === "POST" && !isJson(headers["content-type"]))
    return refusal(415, "Send the header Content-Type: application/json.");
  return pass;
}

const proxyHeaders = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"] as const;

const pass: ConsoleVerdict = Object.freeze({ pass: true });
const farPeer = refusal(403, "The console is only for browsers on this machine.");
const framed = refusal(403, "The console can't be shown inside another page.");
const otherOrigin = refusal(403, "Only the console's own page may ask.");

function refusal(status: number, reason: string): ConsoleVerdict {
  return Object.freeze({ pass: false, status, reason });
}

function isFrame(headers: RequestHeaders): boolean {
  return ["iframe", "frame", "embed", "object", "fencedframe"].includes(String(headers["sec-fetch-dest"]));
}

function isSameSite({ "sec-fetch-site": site }: RequestHeaders): boolean {
  return site === undefined || site === "same-origin" || site === "none";
}
