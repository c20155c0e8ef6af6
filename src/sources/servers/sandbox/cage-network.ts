import { spawn } from "node:child_process";
import type { Server } from "node:net";
import { Fault } from "../../../core/fault.ts";
import { createFilteringProxy, type FilteringProxy } from "../../../core/http/filtering-proxy.ts";
import type { Log } from "../../../core/log.ts";
import { systemPath } from "../../../core/process/cage/cage-maker.ts";
import { createNetworkJudge } from "./network-judge.ts";

/** Where the proxy is, as a program in the cage sees it. */
const proxyPort = 3128;
const proxyUrl = `http://127.0.0.1:${proxyPort}`;

/** What makes programs use the proxy; those that ignore it have no network. */
export const proxyEnv: Readonly<Record<string, string>> = {
  HTTP_PROXY: proxyUrl,
  HTTPS_PROXY: proxyUrl,
  http_proxy: proxyUrl,
  https_proxy: proxyUrl,
  NODE_USE_ENV_PROXY: "1",
};

export interface CageNetworkOptions {
  readonly network: readonly string[];
  readonly log: Log;
  onRefused(target: string, reason: string): void;
}

/** Puts a proxy into the network of a cage that has nothing else. Its process is this one: the program can't get at it. */
export async function openCageNetwork(init: number, options: CageNetworkOptions): Promise<FilteringProxy> {
  const { network, log, onRefused } = options;
  const listener = await listenInside(init);
  const proxy = createFilteringProxy({ judge: createNetworkJudge(network), log, who: "a server", onRefused });
  proxy.accept(listener);
  return proxy;
}

/**
 * A socket belongs to the network it was made in, whichever process holds it: a helper makes it there and hands it over. It
 * listens at every address, since the loopback interface may not be up yet; the network has no other.
 */
const helper = `
const server = require("node:net").createServer();
server.listen(${proxyPort}, "0.0.0.0", () => process.send("listening", server, () => process.exit()));
server.on("error", (error) => { console.error(error.message); process.exit(1); });`;

function listenInside(init: number): Promise<Server> {
  const user = process.getuid?.() === 0 ? [] : ["--user", "--preserve-credentials"];
  const words = ["--target", String(init), ...user, "--net", process.execPath, "-e", helper];
  return new Promise((resolve, reject) => {
    const child = spawn("nsenter", words, {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: { PATH: systemPath },
    });
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(0, 300)));
    child.once("message", (_, handle) => resolve(handle as Server));
    child.once("error", (cause) => reject(noProxy(cause.message)));
    child.once("exit", () => reject(noProxy(said.trim())));
  });
}

function noProxy(reason: string): Fault {
  return new Fault(
    "unavailable",
    `The network of the server's sandbox could not be made: ${reason}. Install util-linux, or set \`network\` to true or false.`,
  );
}
