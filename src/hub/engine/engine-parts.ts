import type { CallCounts } from "../../catalog/audit/call-counts.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Approvals } from "../../catalog/guard/approvals.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import type { Pins } from "../../catalog/guard/pins.ts";
import type { UsageLedger } from "../../catalog/usage/usage-ledger.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import type { Results } from "../../doors/mcp/results/results.ts";
import type { ScriptSettings } from "../../doors/mcp/scripts/script-offer.ts";
import type { World } from "../../core/process/world.ts";
import type { Metrics } from "../../core/telemetry/metrics.ts";
import type { Telemetry } from "../../core/telemetry/telemetry.ts";

/** What the sources and doors of one engine share. */
export interface EngineParts {
  readonly home: Home;
  readonly config: Config;
  readonly env: World["env"];
  readonly homedir: string;
  readonly log: Log;
  readonly version: string;
  readonly catalog: Catalog;
  readonly guard: Guard;
  readonly approvals: Approvals;
  readonly pins: Pins;
  readonly calls: CallCounts;
  readonly usage: UsageLedger;
  /** Where large results of tools go; undefined if they are sent whole. */
  readonly results: Results | undefined;
  /** Runs the scripts of clients; undefined in a host that runs none. */
  readonly scripts: ScriptSettings | undefined;
  /** Absent in a process that is too short-lived to be measured. */
  readonly metrics: Metrics | undefined;
  readonly telemetry: Telemetry | undefined;
  readonly closers: Closers;
  /** Calls the listener when the configuration was edited, with the new one. */
  onEdit(listener: (config: Config) => void): void;
}

type Closer = () => unknown;

export interface Closers {
  add(name: string, close: Closer): void;
  /** Closes everything, in reverse order of opening. A failure is logged and does not stop the rest. */
  closeAll(): Promise<void>;
}

export function createClosers(log: Log): Closers {
  const closers: { readonly name: string; readonly close: Closer }[] = [];
  return {
    add: (name, close) => void closers.push({ name, close }),
    async closeAll() {
      for (let last = closers.pop(); last !== undefined; last = closers.pop()) {
        try {
          await last.close();
        } catch (error) {
          log.warn(`could not close ${last.name} cleanly`, { error });
        }
      }
    },
  };
}
