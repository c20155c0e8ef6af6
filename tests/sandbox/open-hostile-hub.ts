import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makePlace, type Place, startHub } from "../support/cli/run-clawport.ts";
import { freePort } from "../support/free-port.ts";
import { program } from "../setup/programs.ts";
import type { HostileFacts } from "./fixtures/attempts.ts";

export interface HostileHub extends AsyncDisposable {
  /** What came of it: `possible`, or `refused` with the reason. */
  attempt(server: string, what: string): Promise<string>;
  /** What a shell in the server's place prints. */
  shell(server: string, command: string): Promise<string>;
  /** Where commands of the same user find the hub. */
  readonly place: Place;
  readonly facts: HostileFacts;
}

export interface HostileHubOptions {
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** The PATH of the hub, by which it finds what makes namespaces. */
  readonly path: string;
  /** The configuration is not in the state folder, but given by its path. */
  readonly isConfigGiven?: boolean;
  /** The servers by name: what their settings have besides the command. */
  servers(facts: HostileFacts): Readonly<Record<string, object>>;
}

/** A real hub with hostile servers, among everything that they are after. */
export async function openHostileHub({
  user,
  path,
  servers,
  isConfigGiven = false,
}: HostileHubOptions): Promise<HostileHub> {
  await chmod(tmpdir(), 0o711);
  const own = await makeInnerPlace();
  const runtime = join(own.folder, "run");
  const outside = join(own.folder, "elsewhere");
  const terminals = join(own.folder, "tm");
  const tmux = join(terminals, `tmux-${user?.uid ?? process.getuid?.()}`, "default");
  const engine = join(own.folder, "engine.sock");
  const settingsFolder = join(own.folder, "settings");
  const config = join(isConfigGiven ? settingsFolder : own.home, "clawport.json5");
  const neighbour = join(own.home, "sandbox", "neighbour");
  for (const folder of [
    dirname(own.home),
    own.home,
    runtime,
    outside,
    settingsFolder,
    terminals,
    dirname(tmux),
    join(own.folder, ".ssh"),
    join(own.home, "sandbox"),
    neighbour,
  ])
    await mkdir(folder, { mode: 0o700 });
  const keyFile = join(own.folder, ".ssh", "id_ed25519");
  await writeFile(keyFile, "a private key");
  await writeFile(join(neighbour, "diary.txt"), "of another server");
  await mkdir("/tmp/.X11-unix", { recursive: true, mode: 0o1777 });
  const number = 100 + Math.floor(Math.random() * 30_000);
  const [bus, display] = [join(runtime, "bus"), `/tmp/.X11-unix/X${number}`];
  const abstractDisplay = `\0${display}`;
  const listeners = await Promise.all([bus, display, abstractDisplay, tmux, engine].map(listenAt));
  const marker = `marker-${number}`;
  const victim = spawn("sleep", ["600"], { env: { VICTIM: marker }, ...user });
  const port = await freePort();
  const facts: HostileFacts = {
    state: own.home,
    port,
    bus,
    display,
    abstractDisplay,
    marker,
    keyFile,
    outside,
    neighbour,
    config,
    tmux,
    engine,
  };
  const command = [program("tests/sandbox/fixtures/hostile-server.ts"), JSON.stringify(facts), marker];
  const settings = Object.entries(servers(facts)).map(([name, more]) => [
    name,
    { command: process.execPath, args: command, env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" }, ...more },
  ]);
  await writeFile(
    config,
    // The guard would ask about commands that name a private key.
    JSON.stringify({
      servers: Object.fromEntries(settings),
      machine: { enabled: false },
      policy: { screen: { enabled: false } },
    }),
  );
  const place = {
    ...own,
    env: {
      ...own.env,
      PATH: path,
      XDG_RUNTIME_DIR: runtime,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}`,
      TMUX_TMPDIR: terminals,
      DOCKER_HOST: `unix://${engine}`,
    },
    ...(user && { user }),
  };
  if (user) await giveTo(user, own.folder);
  const hub = await startHub(place, "--port", String(port), ...(isConfigGiven ? ["--config", config] : []));
  const token = (await readFile(hub.ready.tokenPath, "utf8")).trim();

  return {
    place,
    facts,
    attempt: (server, what) => call(port, token, `${server}__attempt`, { what }),
    shell: (server, command) => call(port, token, `${server}__shell`, { what: command }),
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      victim.kill("SIGKILL");
      for (const listener of listeners) listener.close();
      await own[Symbol.asyncDispose]();
    },
  };
}

/** A state folder in a folder that the user can move, as `~/.openclaw` is. */
async function makeInnerPlace(): Promise<Place & AsyncDisposable> {
  const place = await makePlace();
  const home = join(place.folder, "config", "state");
  return { ...place, home, env: { ...place.env, CLAWPORT_HOME: home } };
}

/** Waits for a server that has not listed its tools yet. */
async function call(port: number, token: string, name: string, args: object): Promise<string> {
  for (let round = 0; ; round++) {
    try {
      return await callNow(port, token, name, args);
    } catch (error) {
      if (round > 100 || !String(error).includes("Unknown tool")) throw error;
      await sleep(100);
    }
  }
}

async function callNow(port: number, token: string, name: string, args: object): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const text = await response.text();
  const [, found] = /"text":"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  if (found === undefined) throw new Error(`no answer of ${name}: ${text}`);
  return found;
}

async function listenAt(path: string): Promise<Server> {
  const server = createServer((socket) => socket.on("error", () => {}).end());
  server.listen(path);
  await once(server, "listening");
  if (!path.startsWith("\0")) await chmod(path, 0o777);
  return server;
}

async function giveTo({ uid, gid }: { uid: number; gid: number }, folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    if (!(await lstat(path)).isSymbolicLink()) await chown(path, uid, gid);
  }
  await chown(folder, uid, gid);
}
