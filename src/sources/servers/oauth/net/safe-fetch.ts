import { lookup as lookUp } from "node:dns/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { codeOf, Fault } from "../../../../core/fault.ts";
import { isLoopbackHostname } from "../../../../core/http/addresses.ts";
import { type NetworkZone, networkZoneOf } from "../../../../core/http/network-zone.ts";
import type { Env } from "../../../../core/process/child-env.ts";
import { cancelledBy, withDeadline } from "../../../../core/wait.ts";
import { createHttpAgent } from "../../connection/http-agent.ts";
import { judgeResolvedAddress, judgeTarget, type TargetVerdict } from "./judge-target.ts";

/** All addresses that a host name resolves to. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

export interface SafeFetchOptions {
  /** The URL of the MCP server, from the configuration. */
  readonly configured: URL;
  /** Other URLs from the configuration: they may be in another network than the server. */
  readonly trustedUrls?: readonly URL[] | undefined;
  readonly env: Env;
  /** File with certificate authorities to trust besides the usual ones. */
  readonly ca?: string | undefined;
  readonly maxBytes?: number | undefined;
  /** For the whole request, with redirects and body. */
  readonly timeoutMs?: number | undefined;
  readonly resolve?: ResolveHost | undefined;
}

const maxRedirects = 3;

/**
 * `fetch` for URLs that came from the network: HTTPS only, never into a private network that the configured server is not
 * in, limited in size, time and redirects. It connects to exactly the addresses that were judged: a name that is resolved
 * twice can lead to one address when it is checked and to another when it is used.
 */
export function createSafeFetch(options: SafeFetchOptions): typeof fetch {
  const { configured, trustedUrls = [], maxBytes = 1024 * 1024, timeoutMs = 20_000, resolve = resolveAll } = options;
  let knownZones: ReadonlySet<NetworkZone> | undefined;

  return async (input, init) => {
    // Before the `Request` is made, whose error would show a password in the URL.
    requirePass(judgeTarget(input instanceof Request ? input.url : input, configured));
    const request = new Request(input, init);
    return withDeadline(timeoutMs, request.signal, async (signal) => follow(request, init?.redirect, signal));
  };

  async function follow(request: Request, redirect: RequestInit["redirect"], signal: AbortSignal): Promise<Response> {
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    const headers = Object.fromEntries(request.headers);
    const { method } = request;
    let url = new URL(request.url);
    for (let count = 0; ; count++) {
      const response = await send({ url, method, headers, body }, signal);
      const target = redirectOf(response, url);
      // A request with a body holds a code or a secret: it must not be redirected.
      if (target === undefined || redirect === "manual" || body !== undefined) return response;
      if (redirect === "error" || count === maxRedirects) throw denied(`${url.host} redirects too often`);
      if (target.origin !== url.origin) for (const name of ["authorization", "cookie", "dpop"]) delete headers[name];
      url = target;
    }
  }

  async function send(message: OutgoingRequest, signal: AbortSignal): Promise<Response> {
    const { url } = message;
    requirePass(judgeTarget(url, configured));
    // A proxy resolves the name itself, and may be the only one that can.
    const mayBeUnknown = hasProxy(options.env) && !isLoopbackHostname(url.hostname);
    const addresses = await judgedAddresses(url, mayBeUnknown);
    // Resolving a name can't be aborted: after a cancellation the secrets must not be sent.
    if (signal.aborted) throw cancelledBy(signal);
    const response = await sendOnce(message, addresses, options, signal);
    return toResponse(response, await readBytes(response, maxBytes, url.host));
  }

  /** One forbidden address is enough to refuse: we don't choose which one is used. */
  async function judgedAddresses(url: URL, mayBeUnknown: boolean): Promise<readonly string[]> {
    const host = plainHost(url);
    const ignoreUnknown = (cause: Error): readonly string[] => {
      if (mayBeUnknown) return [];
      throw failureOf(cause, url);
    };
    const addresses = isIP(host) ? [host] : await resolve(host).catch(ignoreUnknown);
    for (const address of addresses) requirePass(judgeResolvedAddress(host, address, await ownZones()));
    return addresses;
  }

  /** The networks of the configured servers, without reserved ranges. Cached once all names were resolved. */
  async function ownZones(): Promise<ReadonlySet<NetworkZone>> {
    if (knownZones) return knownZones;
    const [home, ...others] = await Promise.all([configured, ...trustedUrls].map((url) => zonesOf(url, resolve)));
    // A server in several networks may be an attempt to get into one of them; other configured URLs are trusted.
    const found = [home && home.length > 1 ? [] : home, ...others];
    const known = new Set(found.flatMap((each) => each ?? []).filter((zone) => zone !== "barred"));
    if (!found.includes(undefined)) knownZones = known;
    return known;
  }
}

interface OutgoingRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Undefined if the name can't be resolved. */
async function zonesOf(url: URL, resolve: ResolveHost): Promise<readonly NetworkZone[] | undefined> {
  if (isLoopbackHostname(url.hostname)) return ["loopback"];
  const host = plainHost(url);
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => undefined);
  if (addresses === undefined) return undefined;
  return [...new Set(addresses.map(networkZoneOf))];
}

async function resolveAll(host: string): Promise<readonly string[]> {
  return (await lookUp(host, { all: true })).map(({ address }) => address);
}

function plainHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Replaces the system's lookup. Not used for hosts that the agent reaches through a proxy. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first] = answers;
  return (host, { all }, callback) => {
    if (first === undefined)
      callback(Object.assign(new Error(`${host} was not found`), { code: "ENOTFOUND" }), "", undefined);
    else if (all) callback(null, answers);
    else callback(null, first.address, first.family);
  };
}

function requirePass(verdict: TargetVerdict): void {
  if (!verdict.pass) throw denied(verdict.reason);
}

function denied(reason: string): Fault {
  return new Fault(
    "denied",
    `The sign-in was stopped: ${reason}. If this is the right server, set \`auth.authorizationServerUrl\`.`,
  );
}

function hasProxy(env: SafeFetchOptions["env"]): boolean {
  // Plain http is only for this machine, which needs no proxy.
  return ["HTTPS_PROXY", "https_proxy"].some((name) => Boolean(env[name]));
}

function redirectOf({ status, headers }: Response, url: URL): URL | undefined {
  const location = [301, 302, 303, 307, 308].includes(status) ? headers.get("location") : null;
  return location === null ? undefined : (URL.parse(location, url.href) ?? undefined);
}

function sendOnce(
  { url, method, headers, body }: OutgoingRequest,
  addresses: readonly string[],
  { env, ca }: SafeFetchOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const agent = createHttpAgent(url, { ca }, env);
    const start = url.protocol === "https:" ? requestHttps : requestHttp;
    const length = body === undefined ? {} : { "content-length": body.length };
    const request = start(url, {
      method,
      headers: { ...headers, ...length },
      agent,
      lookup: fixedLookup(addresses),
    });
    const abort = (): void => void request.destroy();
    signal.addEventListener("abort", abort, { once: true });
    request.once("close", () => {
      signal.removeEventListener("abort", abort);
      agent.destroy();
    });
    request.once("response", resolve);
    request.once("error", (cause) => reject(failureOf(cause, url)));
    request.end(body);
  });
}

function failureOf(cause: Error, { host }: URL): Fault {
  if (cause instanceof Fault) return cause;
  return new Fault("unavailable", `${host} can't be reached (${codeOf(cause) ?? cause.message}).`, { cause });
}

function readBytes(response: IncomingMessage, maxBytes: number, host: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) return void chunks.push(chunk);
      reject(new Fault("too-large", `The answer of ${host} is larger than the limit of ${maxBytes} bytes.`));
      response.destroy();
    });
    response.on("end", () => resolve(Buffer.concat(chunks)));
    response.on("close", () =>
      reject(new Fault("unavailable", `${host} closed the connection in the middle of its answer.`)),
    );
    response.on("error", () => {});
  });
}

function toResponse({ statusCode = 0, headersDistinct }: IncomingMessage, body: Buffer): Response {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const isBare = statusCode === 204 || statusCode === 205 || statusCode === 304;
  return new Response(isBare ? null : new Uint8Array(body), { status: statusCode, headers });
}
