import { hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request, type RequestOptions } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { loadScreener } from "../../../src/catalog/guard/findings/load-screener.ts";
import type { Source } from "../../../src/catalog/source.ts";
import type { ConfigLocation } from "../../../src/core/config/find-config.ts";
import { loadConfig } from "../../../src/core/config/load-config.ts";
import { openHome } from "../../../src/core/files/home.ts";
import { createLiveLog } from "../../../src/core/log.ts";
import { hashToken } from "../../../src/core/secrets/crypto.ts";
import { deriveKey, macOf } from "../../../src/doors/console/proof-keys.ts";
import { createSignInLink } from "../../../src/doors/console/sign-in-link.ts";
import {
  answerText,
  formatSignature,
  linkKeyInfo,
  proofHeader,
  requestHeader,
  requestText,
  sessionKeyInfo,
  sessionSalt,
  signedInText,
  signInText,
} from "../../../src/doors/console/signed-texts.ts";
import { openHub } from "../../support/open-hub.ts";

export interface ConsoleHubOptions {
  /** The configuration as it is written. */
  readonly config?: string;
  readonly sources?: readonly Source[];
  /** Where it is; the state folder unless given. */
  readonly location?: ConfigLocation;
  readonly env?: Readonly<Record<string, string>>;
  readonly host?: string;
  readonly allowRemote?: boolean;
}

/** A hub in this process, and browsers that sign in to its console. */
export async function startConsoleHub(options: ConsoleHubOptions = {}) {
  // An engine loads it before its servers; these sources are handed in.
  await loadScreener();
  const folder = await mkdtemp(join(tmpdir(), "console-"));
  const home = await openHome(join(folder, "state"));
  const { location = "state-folder" } = options;
  const path = location === "state-folder" ? home.file("clawport.json5") : join(folder, "clawport.json5");
  await writeFile(path, options.config ?? "{}");
  const env = { PATH: process.env["PATH"], HOME: folder, OPENCLAW_GATEWAY_PORT: "1", ...options.env };
  const open = async (port: number) => {
    const loaded = await loadConfig({ path, env });
    return openHub({
      home,
      configuration: { config: loaded.config, file: { ...loaded, location } },
      env,
      homedir: folder,
      log: createLiveLog({ level: "info", format: "human", write: (line) => logged.push(line) }),
      version: "1.2.3",
      port,
      host: options.host,
      allowRemote: options.allowRemote,
      sources: options.sources ?? [],
    });
  };
  const logged: string[] = [];
  let hub = await open(0);
  const { port } = hub;
  const address = `http://127.0.0.1:${port}`;
  return {
    home,
    folder,
    path,
    port,
    address,
    logged,
    tokenPath: hub.tokenPath,
    mcpUrl: `${address}/mcp`,
    link: (terminal = true, now?: number) =>
      createSignInLink({ home, hub: hub.record, terminal, ...(now !== undefined && { now }) }),
    async signIn(terminal = true): Promise<Browser> {
      const { url } = await createSignInLink({ home, hub: hub.record, terminal });
      return signInAt(url);
    },
    async restart() {
      await hub.close();
      hub = await open(port);
    },
    async [Symbol.asyncDispose]() {
      await hub.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** Sends a request as it is given: `fetch` would not let a test set `Host` or `Origin`. */
export async function send(url: string, options: RequestOptions & { readonly body?: string } = {}): Promise<Answer> {
  const { body, ...rest } = options;
  const sent = request(url, { agent: false, ...rest });
  // A hub that refuses a large body closes the connection while it is still being sent.
  sent.on("error", () => {});
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, text: await readAll(response) };
}

/** What the page in a browser does with its session. */
export interface Browser {
  readonly address: string;
  readonly session: string;
  /** The headers of one request, which the hub takes once. */
  headers(method: "GET" | "POST", name: string, body?: string): Readonly<Record<string, string>>;
  /** Another load of the page. */
  reload(): Browser;
  /** The result of a verb; throws with the code of a fault. */
  ask<T = unknown>(verb: string, body?: object): Promise<T>;
  post(name: string, body?: unknown, headers?: Readonly<Record<string, string | undefined>>): Promise<Answer>;
  get(name: string, headers?: Readonly<Record<string, string | undefined>>): Promise<Answer>;
}

/** The request that a page signs in with. */
export async function sendSignIn(link: string, change: (body: Record<string, string>) => object = (body) => body) {
  const url = new URL(link);
  const code = url.pathname.split("/").at(-1) ?? "";
  const [secret, nonce] = [hashToken(url.hash.slice(1)), randomBytes(16).toString("base64url")];
  const proof = macOf(deriveKey(secret, code, linkKeyInfo), signInText(code, nonce));
  const headers = { origin: url.origin, "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const body = JSON.stringify(change({ code, nonce, proof }));
  return { ...(await send(`${url.origin}/console/api/signIn`, { method: "POST", headers, body })), secret, nonce };
}

export async function signInAt(link: string): Promise<Browser> {
  const { status, text, secret, nonce } = await sendSignIn(link);
  const { result } = JSON.parse(text) as { result?: { session: string; proof: string } };
  if (status !== 200 || result === undefined) throw new Error(`not signed in: ${status} ${text}`);
  const { session, proof } = result;
  const key = deriveKey(secret, sessionSalt(nonce, session), sessionKeyInfo);
  if (proof !== macOf(key, signedInText(session))) throw new Error("the hub did not prove itself");
  return openPage(new URL(link).origin, session, key);
}

function openPage(address: string, session: string, key: Buffer): Browser {
  const channel = randomBytes(16).toString("base64url");
  let counter = 0;
  const sign = (method: string, name: string, body: string) => {
    const path = `/console/api/${name}`;
    const bodyHash = hash("sha256", body, "base64url");
    const request = { session, channel, counter: ++counter, method, path, bodyHash };
    return {
      proof: macOf(key, answerText(request)),
      signed: { [requestHeader]: formatSignature(request, macOf(key, requestText(request))) },
    };
  };
  const common = (method: string) => ({
    "sec-fetch-site": "same-origin",
    ...(method === "POST" && { origin: address, "content-type": "application/json" }),
  });
  const request = async (
    method: "GET" | "POST",
    name: string,
    body: string,
    more: Readonly<Record<string, string | undefined>>,
  ) => {
    const { signed, proof } = sign(method, name, body);
    const all = { ...common(method), ...signed, ...more };
    const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const answer = await send(`${address}/console/api/${name}`, { method, headers: headers as never, body });
    const given = answer.headers[proofHeader];
    if (given !== undefined && given !== proof) throw new Error("the hub's proof is wrong");
    if (answer.status === 200 && given === undefined) throw new Error("the hub did not prove itself");
    return answer;
  };
  const post: Browser["post"] = (name, body = {}, more = {}) =>
    request("POST", name, typeof body === "string" ? body : JSON.stringify(body), more);
  return {
    address,
    session,
    headers: (method, name, body = "") => ({ ...common(method), ...sign(method, name, body).signed }),
    reload: () => openPage(address, session, key),
    post,
    get: (name, more = {}) => request("GET", name, "", more),
    async ask<T>(verb: string, body: object = {}) {
      const { text } = await post(verb, body);
      const { result, error } = JSON.parse(text) as { result?: T; error?: { code: string; message: string } };
      if (error !== undefined) throw Object.assign(new Error(error.message), error);
      return result as T;
    },
  };
}

/** The events of the page's stream, as they come. */
export async function openEvents({ address, headers }: Browser) {
  const sent = request(`${address}/console/api/events`, { headers: headers("GET", "events"), agent: false });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const events: Record<string, unknown>[] = [];
  let rest = "";
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) events.push(JSON.parse(part.replace(/^data: /, "")) as Record<string, unknown>);
  });
  response.on("error", () => {});
  return {
    status: response.statusCode,
    events,
    response,
    ended: new Promise<void>((resolve) => response.once("close", resolve)),
    find: (type: string) => events.filter((event) => event["type"] === type),
    [Symbol.dispose]: () => void sent.destroy(),
  };
}
