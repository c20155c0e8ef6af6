import { createCatalog } from "../../catalog/catalog.ts";
import type { View } from "../../catalog/view.ts";
import { longestTimer } from "../../core/deadline.ts";
import { isFault } from "../../core/fault.ts";
import type { Home } from "../../core/home.ts";
import { fingerprintOf } from "../../sources/servers/definition-fingerprint.ts";
import type { HttpTarget, ServerDefinition } from "../../sources/servers/definition.ts";
import { unknownServer } from "../../sources/servers/unknown-server.ts";
import { createRemoteControl, type RunningHub } from "../../sources/servers/handlers/remote-control.ts";
import { createServerManager } from "../../sources/servers/manager.ts";
import type { CommandContext } from "../command-context.ts";
import { findConfigOf, loadConfigOf } from "../config-of.ts";
import { placeOf } from "../follow-config.ts";
import { openHomeOf } from "../open-home.ts";
import { joinServingChain } from "../serving-chain.ts";
import { readVersion } from "../version.ts";
import { findHub } from "./find-hub.ts";

/** The servers of a running hub, as this process offers them. */
export interface Relay {
  readonly view: View;
  /** What the hub takes in one piece. */
  readonly maxFrameBytes: number;
  /** Resolves when the hub has told what there is, or after the time. */
  settled(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

/** How often a hub that went away is looked for: it may come back at another port. */
const lookEveryMs = 2000;

/** Nothing where no hub runs, or one with another configuration than this process would use. */
export async function openRelay(
  context: CommandContext,
  only: readonly string[] | undefined,
): Promise<Relay | undefined> {
  const { env, log } = context;
  const home = await openHomeOf(context);
  const hub = await findHub(context, home).catch((error: unknown) => {
    if (!isFault(error, "unauthorized")) throw error;
    log.warn(error.message);
    return undefined;
  });
  if (hub === undefined || !(await isForUs(context, home, hub, only))) return undefined;
  const { config } = await loadConfigOf(context);
  const catalog = createCatalog({ log });
  const version = readVersion();
  const manager = createServerManager({
    catalog,
    env,
    log,
    version,
    maxConcurrent: 1,
    discoveryMs: 0,
    isRelay: true,
  });
  await manager.apply([definitionOf(hub, only)]);
  // It faults where there is no token, and while the hub is being replaced by the one found before: the next look is soon.
  const timer = setInterval(() => void follow().catch(() => {}), lookEveryMs).unref();
  return {
    view: catalog.view({ source: relayName }),
    maxFrameBytes: config.hub.maxBodyBytes,
    settled: (withinMs) => manager.settled(withinMs),
    async close() {
      clearInterval(timer);
      await manager.close();
      catalog.close();
    },
  };

  async function follow(): Promise<void> {
    if (manager.status(relayName).state === "ready") return;
    const found = await findHub(context, home);
    if (found !== undefined) await manager.apply([definitionOf(found, only)]);
  }
}

const relayName = "hub";

/** Faults where one of the servers that are wanted is none of the hub's, or where we are one of them. */
async function isForUs(
  context: CommandContext,
  home: Home,
  hub: RunningHub,
  only: readonly string[] | undefined,
): Promise<boolean> {
  const control = createRemoteControl(hub);
  try {
    const { path } = findConfigOf(context) ?? placeOf({}, home);
    if ((await control.configuration()).path !== path) return false;
    joinServingChain(context.env, path);
    const names = (await control.servers()).map(({ name }) => name);
    const missing = only?.find((name) => !names.includes(name));
    if (missing !== undefined) throw unknownServer(missing, names);
    return true;
  } finally {
    control.close();
  }
}

function definitionOf({ address, token }: RunningHub, only: readonly string[] | undefined): ServerDefinition {
  const url = new URL("/mcp?relay=stdio", address);
  if (only !== undefined) url.searchParams.set("only", only.join(","));
  const transport: HttpTarget = { kind: "http", url, headers: { authorization: `Bearer ${token.reveal()}` }, tls: {} };
  return {
    name: relayName,
    prefix: "",
    enabled: true,
    transport,
    connectTimeoutMs: 10_000,
    // The hub knows how long each of its servers may take.
    requestTimeoutMs: longestTimer,
    maxTotalTimeoutMs: longestTimer,
    maxMessageBytes: 512 * 1024 * 1024,
    heartbeatMs: 0,
    era: "modern",
    roots: [],
    tools: { include: ["*"], exclude: [], rename: {}, describe: {} },
    share: false,
    trusted: true,
    fingerprint: fingerprintOf(transport),
  };
}
