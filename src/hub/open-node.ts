import type { Asker } from "../catalog/guard/askers.ts";
import { type MachineSwitches, machineSwitches } from "../core/config/machine-config.ts";
import { Fault } from "../core/fault.ts";
import type { Home } from "../core/files/home.ts";
import type { LiveLog, LogLevel } from "../core/log.ts";
import type { World } from "../core/process/world.ts";
import type { ActiveConfig } from "./active-config.ts";
import { watchedConfigFile } from "./engine/config-source.ts";
import { type Engine, openEngine } from "./engine/engine.ts";
import type { HttpOptions } from "./engine/open-http.ts";
import { claimHub, removeHubRecord, writeHubRecord } from "./hub-record.ts";

export interface NodeOptions extends Pick<HttpOptions, "port"> {
  readonly home: Home;
  readonly configuration: ActiveConfig;
  readonly env: World["env"];
  readonly homedir: string;
  readonly log: LiveLog;
  readonly version: string;
  readonly level?: LogLevel | undefined;
  readonly askers?: readonly Asker[];
}

/** The engine with nothing but this computer. */
export interface RunningNode extends AsyncDisposable {
  readonly switches: MachineSwitches;
  readonly engine: Engine;
  /** Where MCP clients connect: `http://127.0.0.1:8765/`; undefined if it serves none. */
  readonly url: string | undefined;
  close(): Promise<void>;
}

const bothOff =
  "Both switches of the node are off, so there is nothing to do. " +
  "Set `machine.enableMcpServer: true` to serve MCP clients on this computer, or `machine.enableNodeMode: true` to connect to an OpenClaw gateway.";

/** Faults with `conflict` if a hub or a node of this state folder is running already. */
export async function openNode(options: NodeOptions): Promise<RunningNode> {
  const { home, configuration, env, homedir, log, version, port } = options;
  const switches = machineSwitches(configuration.config.machine);
  // Before anything is opened: without the MCP server there is no token, either.
  if (!switches.mcp && !switches.gateway) throw new Fault("config", bothOff);
  const claim = await claimHub(home, log);
  try {
    const engine = await openEngine({
      home,
      configuration: watchedConfigFile({ home, configuration, env, log }),
      env,
      homedir,
      log,
      version,
      logLevel: options.level,
      askers: options.askers,
      observed: true,
      // The control API knows of servers; there are none here.
      sources: { machine: "always", servers: { start: "by-name", only: [] } },
      doors: {
        gatewayNode: "as-configured",
        ...(switches.mcp && {
          http: { host: "127.0.0.1", port, control: true, console: true, toolNames: "full", surface: "full" },
        }),
      },
    });
    const { http } = engine;
    await writeHubRecord(home, {
      address: http?.address,
      socket: http?.socket,
      version,
      startedAt: new Date().toISOString(),
    });
    const close = async (): Promise<void> => {
      await engine.close();
      await removeHubRecord(home);
      await claim.release();
    };
    const url = http && `${http.address}/`;
    return { switches, engine, url, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await claim.release();
    throw error;
  }
}
