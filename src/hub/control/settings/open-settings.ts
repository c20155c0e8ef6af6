import type { Catalog } from "../../../catalog/catalog.ts";
import type { Config } from "../../../core/config/config-schema.ts";
import type { Home } from "../../../core/files/home.ts";
import type { Log } from "../../../core/log.ts";
import type { World } from "../../../core/process/world.ts";
import { readConfigAt } from "../../active-config.ts";
import { hubFiles } from "../../hub-files.ts";
import { findProblems } from "../config-text.ts";
import type { ConfigPlace, ServersControl } from "../hub-control.ts";
import { createClientsControl } from "./clients-control.ts";
import { openConfigFile, ownerPlace } from "./config-file.ts";
import { createRulesControl } from "./edit-rules.ts";
import { createServerEdits } from "./edit-servers.ts";
import { createMachineControl, type LiveMachine } from "./machine-control.ts";
import { readAgent } from "./read-agent.ts";
import type {
  AgentControl,
  ClientsControl,
  ConfigurationEdits,
  MachineControl,
  RulesControl,
  ServerEdits,
} from "./settings-control.ts";
import { unmaskConfig } from "./unmask-config.ts";

export interface SettingsOptions {
  readonly home: Home;
  readonly env: World["env"];
  readonly homedir: string;
  readonly log: Log;
  readonly version: string;
  readonly place: ConfigPlace;
  /** What this process started with. */
  readonly config: Config;
  readonly catalog: Pick<Catalog, "find" | "sources">;
  readonly servers: Pick<ServersControl, "list" | "connect">;
  reload(): Promise<void>;
  isNode(): Promise<boolean>;
  readonly live: LiveMachine;
}

/** Everything that is changed for a person: in the configuration file, and in the files of MCP clients. */
export interface Settings {
  readonly servers: ServerEdits;
  readonly rules: RulesControl;
  readonly machine: MachineControl;
  readonly agent: AgentControl;
  readonly clients: ClientsControl;
  readonly configuration: ConfigurationEdits;
}

export function openSettings(options: SettingsOptions): Settings {
  const { home, env, homedir, log, version, place, catalog, live } = options;
  const file = openConfigFile(options);
  const own = openConfigFile({ ...options, place: ownerPlace(place, home) });
  const current = async (): Promise<Config> => (await readConfigAt(place, home, env)).config;
  const hubPort = (): number => Number(URL.parse(live.httpAddress() ?? "")?.port || options.config.hub.port);
  return {
    servers: createServerEdits({ ...options, file, hubPort }),
    rules: createRulesControl({
      file: own,
      audit: hubFiles.audit(home),
      catalog,
      policy: async () => (await current()).policy ?? {},
    }),
    machine: createMachineControl({
      file: own,
      home,
      env,
      homedir,
      log,
      version,
      started: options.config.machine,
      config: current,
      isNode: options.isNode,
      live,
    }),
    agent: {
      async read() {
        if (catalog.sources().some(({ id }) => id === "agent"))
          return readAgent({ config: options.config.agent, env, homedir });
        return { backend: "none", why: "This process takes no orders. Run `clawport up` for a hub that does." };
      },
    },
    clients: createClientsControl({ ...options, address: () => live.httpAddress() }),
    configuration: {
      async schema() {
        const { configJsonSchema } = await import("../../../core/config/config-schema.ts");
        return configJsonSchema();
      },
      async validate(text) {
        const whole = unmaskConfig(text, await readCurrent());
        const problems = await findProblems(place, whole, env);
        const { parseConfig } = await import("../../../core/config/parse-config.ts");
        return { problems, ok: parseConfig(whole, env).problems === undefined };
      },
      async hide(text, tools) {
        const { hideTools } = await import("./hide-tools.ts");
        return hideTools(text, tools);
      },
      write: (text, baseHash) => file.change((before) => unmaskConfig(text, before), { baseHash, isWhole: true }),
    },
  };

  async function readCurrent(): Promise<string> {
    const { existsSync } = await import("node:fs");
    const { readConfigText } = await import("../../../core/config/load-config.ts");
    return existsSync(place.path) ? readConfigText(place.path) : "";
  }
}
