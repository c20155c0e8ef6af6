import type { Engine } from "../engine/engine.ts";
import type { HubContext } from "./contexts.ts";
import { createToolCall, sourceIds } from "./queries/list-tools.ts";
import { controlOf, runOn } from "./verb.ts";
import { type HubControl, verbs } from "./verbs.ts";

const contexts = new WeakMap<Engine, Promise<HubContext>>();

/** What the verbs reach in this process, opened once for each engine. Opens the configured servers. */
export function openHubContext(engine: Engine): Promise<HubContext> {
  const opened = contexts.get(engine) ?? openContext(engine);
  contexts.set(engine, opened);
  return opened;
}

async function openContext(engine: Engine): Promise<HubContext> {
  const { home, env, homedir, log, approvals, pins } = engine;
  const { place } = engine.configuration;
  const { servers, signIns } = await engine.servers();
  return {
    engine,
    servers,
    signIns,
    home,
    env,
    homedir,
    log,
    place,
    reload: () => engine.reload(),
    openApprovals: () => Promise.resolve(approvals),
    openPins: () => Promise.resolve(pins),
    views: async () => [...new Set(["agent", ...(await sourceIds({ engine, servers }))])],
    allowsUnattended: () => Promise.resolve(engine.current.policy?.unattendedApprovals === true),
    async readMachine() {
      const { readMachine } = await import("./settings/machine-state.ts");
      return readMachine({ home, env, place, engine });
    },
  };
}

/** What can be asked of the engine of this process. */
export async function openLocalControl(engine: Engine): Promise<HubControl> {
  const hub = await openHubContext(engine);
  const control = controlOf(verbs, (_, __, row) => runOn(hub, row));
  return { ...control, tools: { ...control.tools, call: createToolCall(hub.engine) } };
}
