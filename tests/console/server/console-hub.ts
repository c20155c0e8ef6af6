import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request, type RequestOptions } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import type { Source } from "../../../src/catalog/source.ts";
import type { ConfigLocation } from "../../../src/core/config/find-config.ts";
import { loadConfig } from "../../../src/core/config/load-config.ts";
import { openHome } from "../../../src/core/files/home.ts";
import { createLiveLog } from "../../../src/core/log.ts";
import { createSignInLink } from "../../../src/doors/console/sign-in-link.ts";
import { openHub } from "../../../src/hub/hub.ts";

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
      createSignInLink({ home, address, terminal, ...(now !== undefined && { now }) }),
    async signIn(terminal = true): Promise<Browser> {
      const { url } = await createSignInLink({ home, address, terminal });
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

/** What the page in a browser sends with every request. */
export interface Browser {
  readonly address: string;
  readonly cookie: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The result of a verb; throws with the code of a fault. */
  ask<T = unknown>(verb: string, body?: object): Promise<T>;
  post(name: string, body?: unknown, headers?: Readonly<Record<string, string | undefined>>): Promise<Answer>;
  get(name: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

export async function signInAt(link: string): Promise<Browser> {
  const url = new URL(link);
  const answer = await send(`${url.origin}${url.pathname}`);
  const cookie = answer.headers["set-cookie"]?.[0]?.split(";")[0];
  if (answer.status !== 303 || cookie === undefined) throw new Error(`not signed in: ${answer.status} ${answer.text}`);
  const secret = url.hash.slice(1);
  const headers = { cookie, "x-clawport-console": secret, "sec-fetch-site": "same-origin" };
  const post: Browser["post"] = (name, body = {}, more = {}) => {
    const all = { ...headers, origin: url.origin, "content-type": "application/json", ...more };
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return send(`${url.origin}/console/api/${name}`, { method: "POST", headers: given as never, body: text });
  };
  return {
    address: url.origin,
    cookie,
    secret,
    headers,
    post,
    get: (name, more = {}) => send(`${url.origin}/console/api/${name}`, { headers: { ...headers, ...more } }),
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
  const sent = request(`${address}/console/api/events`, { headers, agent: false });
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
