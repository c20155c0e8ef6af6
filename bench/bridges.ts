import { mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Child, firstLine, home, startNode } from "./child.ts";
import { type BridgeClient, openBridgeClient } from "./clients/bridge-client.ts";
import { cliFile, startTarget } from "./targets.ts";

export const bridgeKinds = ["limit", "ours"] as const;
export type BridgeKind = (typeof bridgeKinds)[number];

/** A bridge under measurement, and how apps and clients are put to it. */
export interface RunningBridge extends AsyncDisposable {
  readonly child: Child;
  /** Connects so many apps, all in one process, and gives the client that calls them in turn. */
  connect(apps: number): Promise<BridgeClient>;
}

const tokens = { app: "bench-app-token", client: "bench-client-token" };

export async function startBridge(kind: BridgeKind): Promise<RunningBridge> {
  await using stack = new AsyncDisposableStack();
  const child = stack.use(kind === "limit" ? startTarget("limit-bridge") : startProxy());
  const { port } = JSON.parse(await firstLine(child)) as { port: number };
  const owned = stack.move();
  return {
    child,
    async connect(apps) {
      const crowd = owned.use(startTarget("bridge-apps", { args: [kind, String(port), String(apps), tokens.app] }));
      const { paths } = JSON.parse(await firstLine(crowd)) as { paths: readonly string[] };
      return owned.use(openBridgeClient({ port, token: tokens.client, paths }));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The command as people run it: both tokens, sessions on disk, guard and audit. Only the pace of registering is freed. */
function startProxy(): Child {
  const lines = [`OPENCLAW_PROXY_APP_TOKEN=${tokens.app}`, `OPENCLAW_PROXY_OPENCLAW_TOKEN=${tokens.client}`];
  writeFileSync(path.join(home, ".env"), `${lines.join("\n")}\n`);
  // A state folder of its own: sessions of an earlier one would come back.
  const state = mkdtempSync(path.join(home, "proxy-"));
  return startNode([cliFile, "proxy", "--json", "--home", state, "--port", "0", "--sessions-per-second", "100000"]);
}
