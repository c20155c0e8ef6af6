import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { mainFile, makePlace, type RunningHub, startReady } from "../../support/cli/run-clawport.ts";

/** A throw-away folder with a configuration, and `clawport serve` on it in either way. */
export interface Serve extends AsyncDisposable {
  stdio(): Transport;
  /** One server alone, with the names bare, behind the HTTP door. */
  http(name: string): Promise<Transport>;
  /** Where and with what a server runs that is started here without us. */
  readonly direct: { readonly cwd: string; readonly env: Record<string, string>; readonly stderr: "ignore" };
  /** What a client needs to start it itself, or to reach it. */
  readonly command: {
    readonly command: string;
    readonly args: string[];
    readonly cwd: string;
    readonly env: Record<string, string>;
  };
  reach(): Promise<{ readonly url: string; readonly token: string }>;
  /** Starts a hub with the same configuration: from then on `stdio` hands on to it. */
  hub(): Promise<void>;
}

export async function openServe(servers: Readonly<Record<string, object>>): Promise<Serve> {
  const place = await makePlace();
  const file = path.join(place.folder, "clawport.json5");
  // Without tools of our own: what a server offers is compared to the letter.
  await writeFile(file, JSON.stringify({ servers, results: { maxTokens: "off" } }));
  const env = Object.fromEntries(Object.entries(place.env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  const args = [mainFile, "serve", "--stdio", "--config", file, "--trust", "--wait", "30"];
  const command = { command: process.execPath, args, cwd: place.folder, env };
  const closers: (() => Promise<unknown>)[] = [];
  /** What a server offered to an earlier client is not known here. */
  const ownHome = path.join(place.folder, "other-state");

  return {
    command,
    direct: { cwd: place.folder, env: { HOME: place.folder }, stderr: "ignore" },
    stdio: () => new StdioClientTransport({ ...command, stderr: "ignore" }),
    reach: () => start("serve", "--http", "--wait", "30", "--home", ownHome),
    hub: async () => void (await start("up")),
    async http(name) {
      const { url, token } = await start("serve", "--http", "--wait", "30", "--home", ownHome);
      return new StreamableHTTPClientTransport(new URL(`${url}/${name}`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(closers.map((close) => close()));
      await place[Symbol.asyncDispose]();
    },
  };

  async function start(...words: string[]): Promise<{ url: string; token: string }> {
    const flags = ["--config", file, "--port", "0", "--trust", "--json"];
    // What the official client gives whatever it starts.
    const like = { ...place, env: { ...getDefaultEnvironment(), ...env } };
    const { child, ended, ready } = await startReady<RunningHub["ready"]>(like, ...words, ...flags);
    closers.push(() => (child.kill("SIGTERM"), ended));
    return { url: ready.url, token: readFileSync(ready.tokenPath, "utf8").trim() };
  }
}
