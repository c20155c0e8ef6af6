import { lookup as lookUp } from "node:dns/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { codeOf, Fault } from "../../../../core/fault.ts";
import { isLoopbackHostname } from "../../../../core/http/addresses.ts";
import type { Env } from "../../../../core/process/child-env.ts";
import { cancelledBy, withDeadline } from "../../../../core/wait.ts";
import { createHttpAgent } from "../../connection/http-agent.ts";
import {
  judgeResolvedAddress,
  judgeTarget,
  type NetworkZone,
  networkZoneOf,
  type TargetVerdict,
} from "./judge-target.ts";

/** All addresses of a name, as the system knows them. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

export interface SafeFetchOptions {
  /** The address of the MCP server, as the person wrote it. */
  readonly configured: URL;
  /** Other addresses that the person wrote: they may be where the server is not. */
  readonly trustedUrls?: readonly URL[] | undefined;
  readonly env: Env;
  /** File with authorities to believe besides the usual ones. */
  readonly ca?: string | undefined;
  readonly maxBytes?: number | undefined;
  /** For the whole of it, redirects and body included. */
  readonly timeoutMs?: number | undefined;
  readonly resolve?: ResolveHost | undefined;
}

const maxRedirects = 3;

/**
 * `fetch` for addresses that came from the network: HTTPS only, never into a network where the configured server is not,
 * bounded in size, time and redirects. The connection goes to the very addresses that were judged: a name that is looked
 * up twice can be one thing when it is checked and another when it is used.
 */
export function createSafeFetch(options: SafeFetchOptions): typeof fetch {
  const { configured, trustedUrls = [], maxBytes = 1024 * 1024, timeoutMs = 20_000, resolve = resolveAll } = options;
  let knownZones: ReadonlySet<NetworkZone> | undefined;

  return async (input, init) => {
    // Before a request is made of it, whose own complaint would show the password.
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
      // What was sent with a body holds a code or a secret: it goes where it was meant to go, or nowhere.
      if (target === undefined || redirect === "manual" || body !== undefined) return response;
      if (redirect === "error" || count === maxRedirects) throw denied(`${url.host} sends us on too often`);
      if (target.origin !== url.origin) for (const name of ["authorization", "cookie", "dpop"]) delete headers[name];
      url = target;
    }
  }

  async function send(message: OutgoingRequest, signal: AbortSignal): Promise<Response> {
    const { url } = message;
    requirePass(judgeTarget(url, configured));
    // A proxy looks the name up by itself, and may be the only one who can.
    const mayBeUnknown = hasProxy(options.env) && !isLoopbackHostname(url.hostname);
    const addresses = await judgedAddresses(url, mayBeUnknown);
    // Looking a name up can't be called off: whoever gave up meanwhile must not have their secrets sent all the same.
    if (signal.aborted) throw cancelledBy(signal);
    const response = await sendOnce(message, addresses, options, signal);
    return toResponse(response, await readBytes(response, maxBytes, url.host));
  }

  /** One bad address among good ones is enough: which of them is taken is not in our hands. */
  async function judgedAddresses(url: URL, mayBeUnknown: boolean): Promise<readonly string[]> {
    const host = plainHost(url);
    const unknown = (cause: Error): readonly string[] => {
      if (mayBeUnknown) return [];
      throw failureOf(cause, url);
    };
    const addresses = isIP(host) ? [host] : await resolve(host).catch(unknown);
    for (const address of addresses) requirePass(judgeResolvedAddress(host, address, await ownZones()));
    return addresses;
  }

  /** Where the person's own servers are, without what is reserved. Remembered once all of their names were found. */
  async function ownZones(): Promise<ReadonlySet<NetworkZone>> {
    if (knownZones) return knownZones;
    const [home, ...others] = await Promise.all([configured, ...trustedUrls].map((url) => zonesOf(url, resolve)));
    // A server that is here and there may want to be let in; an authorization server that a person named is trusted.
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

/** Nothing where the name is not found. */
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

/** Stands in for the system's lookup. Asked only where no proxy is: whether one is, for which hosts, is up to the agent. */
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
    `Signing in was stopped: ${reason}. If that is right, name it in the configuration: auth.authorizationServerUrl`,
  );
}

function hasProxy(env: SafeFetchOptions["env"]): boolean {
  // Plain http stays on this machine, where no proxy is asked.
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
      reject(new Fault("too-large", `The answer of ${host} is larger than the ${maxBytes} bytes taken here.`));
      response.destroy();
    });
    response.on("end", () => resolve(Buffer.concat(chunks)));
    response.on("close", () => reject(new Fault("unavailable", `${host} broke off in the middle of its answer.`)));
    response.on("error", () => {});
  });
}

function toResponse({ statusCode = 0, headersDistinct }: IncomingMessage, body: Buffer): Response {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const isBare = statusCode === 204 || statusCode === 205 || statusCode === 304;
  return new Response(isBare ? null : body, { status: statusCode, headers });
}
