import type { TokenView } from "../../catalog/caller.ts";
import { isLoopbackPeer } from "../../core/http/addresses.ts";
import {
  bearerToken,
  hasRepeatedHost,
  isAllowedHost,
  isJson,
  isKnownHttpVersion,
  type RequestHeaders,
} from "../../core/http/request-headers.ts";
import type { SurfaceSetting } from "./surface/choose-surface.ts";

/** What is known about a request before its body is read. */
export interface CallerFacts {
  /** The address at the other end of the socket. */
  readonly peer: string | undefined;
  readonly method: string;
  /** Names in lower case, as Node gives them. */
  readonly headers: RequestHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** `1.1` */
  readonly httpVersion: string;
}

/** The token that a request presented, and what it is limited to, if anything. */
export interface TokenMatch {
  readonly name: string;
  readonly view?: TokenView;
  /** Which surface its clients get, unless their address says otherwise. */
  readonly surface?: SurfaceSetting;
  /** Gives access to the metrics and nothing else. */
  readonly metrics?: true;
  /** Belongs to the agent of the program that hosts this door, see `AgentAccess`. */
  readonly agent?: true;
  /** It is no token but a key of the owner's own processes, see `HubKeys`. */
  readonly key?: HubKeyName;
}

/** `control`: the owner's commands. `relay`: processes that hand on the calls of a client. */
export type HubKeyName = "control" | "relay";

/** The name of the owner's token. */
export const mainTokenName = "main";

export interface GateRules {
  /** Without it no token is needed: for test fixtures only. */
  readonly matchToken?: (presented: string) => TokenMatch | undefined;
  readonly maxBodyBytes: number;
  /** Whether the door deliberately listens beyond this machine: then peers may be anywhere. */
  readonly remote?: boolean;
  /** Host names that are allowed beside those of this machine, in lower case. One without a port allows any port. */
  readonly allowedHosts?: readonly string[];
  /** Web origins that may call, in the form a browser sends: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[];
}

export interface GateRefusal {
  readonly pass: false;
  readonly status: number;
  readonly reason: string;
  /** What is wrong with the token, if that is the reason. */
  readonly token?: "wrong" | "missing";
  /** The allowed methods, if the request used another. */
  readonly allow?: string;
}

export type GateVerdict = { readonly pass: true; readonly token: TokenMatch } | GateRefusal;

/**
 * Whether a request may reach the protocol. A request from this machine proves nothing: a web page in a local browser
 * can send one too. Each check stops what the ones before can't, and the order is part of the contract.
 */
export function judgeCaller(facts: CallerFacts, rules: GateRules): GateVerdict {
  const { peer, method, headers } = facts;
  if (rules.remote !== true && !isLoopbackPeer(peer)) return farPeer;
  if (isFromPage(headers, rules.allowedOrigins)) return webPage;
  if (!isKnownHttpVersion(facts.httpVersion)) return wrongVersion;
  if (hasRepeatedHost(facts.rawHeaders)) return twoHosts;
  if (!isAllowedHost(headers["host"], rules.allowedHosts)) return strangeHost;
  if (method === "POST" && !isJson(headers["content-type"])) return notJson;
  if (method === "POST" && !isPlain(headers["content-encoding"])) return encoded;
  const token = matchToken(headers["authorization"], rules.matchToken);
  if (token === undefined) return headers["authorization"] === undefined ? noToken : wrongToken;
  if (method !== "POST" && method !== "GET") {
    if (method !== "DELETE") return wrongMethod;
    if (headers["mcp-session-id"] === undefined) return nothingToDelete;
  }
  if (!(Number(headers["content-length"] ?? 0) <= rules.maxBodyBytes)) return tooLarge;
  return { pass: true, token };
}

const farPeer = refusal(403, "Only programs on this machine may connect.");
const webPage = refusal(403, "Requests from web pages are refused. Connect with an MCP client instead.");
const wrongVersion = refusal(505, "Use HTTP/1.1.");
const twoHosts = refusal(400, "Send one Host header.");
const strangeHost = refusal(403, "The Host header must name this machine: 127.0.0.1, localhost or [::1].");
const notJson = refusal(415, "Send the header Content-Type: application/json.");
const encoded = refusal(415, "Send the body as it is, without Content-Encoding.");
const noToken: GateRefusal = Object.freeze({
  pass: false,
  status: 401,
  token: "missing",
  reason: "Send the header Authorization: Bearer <token>. Run `clawport token show` to print the token.",
});
const wrongToken: GateRefusal = Object.freeze({
  pass: false,
  status: 401,
  token: "wrong",
  reason:
    "This token is not valid. It may have been removed or replaced: run `clawport token show` to print the token.",
});
const wrongMethod = refusal(405, "Use POST, GET, or DELETE with a session id.", "GET, POST, DELETE");
const nothingToDelete = refusal(405, "DELETE needs the header Mcp-Session-Id of the session to end.", "GET, POST");
const tooLarge = refusal(413, "The request is too large.");

function refusal(status: number, reason: string, allow?: string): GateRefusal {
  return Object.freeze({ pass: false, status, reason, ...(allow === undefined ? {} : { allow }) });
}

const isPlain = (encoding: RequestHeaders[string]): boolean => encoding === undefined || encoding === "identity";

const anyone: TokenMatch = Object.freeze({ name: "anyone" });

/**
 * A browser adds at least one of these headers to every request of a page, and scripts can't remove it.
 * `Sec-Fetch-Mode` is not among them: Node's own `fetch` sends it.
 */
function isFromPage(headers: RequestHeaders, allowedOrigins: readonly string[] | undefined): boolean {
  const origin = headers["origin"];
  if (origin !== undefined) return typeof origin !== "string" || allowedOrigins?.includes(origin) !== true;
  return (
    headers["referer"] !== undefined ||
    headers["sec-fetch-site"] !== undefined ||
    headers["sec-fetch-dest"] !== undefined ||
    headers["sec-fetch-user"] !== undefined
  );
}

function matchToken(authorization: RequestHeaders[string], match: GateRules["matchToken"]): TokenMatch | undefined {
  if (match === undefined) return anyone;
  const presented = bearerToken(authorization);
  return presented === undefined ? undefined : match(presented);
}
