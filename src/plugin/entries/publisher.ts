import { mayUseServer } from "../../core/config/agent-servers-config.ts";
import { messageOf } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import type { ConfigEdit, OpenClawConfig, OpenClawConfigRuntime } from "../openclaw-api.ts";
import type { PluginConfig } from "../plugin-config.ts";
import { type DoorFile, readDoorFile, writeDoorFile } from "./door-file.ts";
import { applyPlan, needsEdit, planEntries, type Published } from "./entries.ts";

export interface PublisherOptions {
  readonly home: Home;
  readonly log: Log;
  readonly configuration: Pick<PluginConfig, "current">;
  /** OpenClaw's active configuration. */
  current(): OpenClawConfig;
  write(edit: ConfigEdit, attempt: number): Promise<unknown>;
  /** Resolves when OpenClaw's configuration may be written. */
  idle(): Promise<void>;
  published(): readonly Published[];
  /** Where the endpoints are now; undefined while they are closed. */
  port(): number | undefined;
}

/** Keeps our entries in OpenClaw's configuration as they should be. */
export interface Publisher {
  /** The token of the endpoints. */
  readonly token: string;
  /** The port of the last run, which the entries name. */
  readonly lastPort: number | undefined;
  /** Not while the service starts: OpenClaw takes up what we write by starting it again. */
  publishSoon(): void;
  /** Makes an edit and brings our entries in line with it, in one write: OpenClaw loads its plugins anew for each. */
  write(edit: ConfigEdit, attempt: number): Promise<void>;
  /** Takes everything that we wrote back out. */
  withdraw(config: Pick<OpenClawConfigRuntime, "mutateConfigFile">): Promise<void>;
}

const maxAttempts = 10;
const retryMs = 1000;

/** Our entries may be most of the file. */
const plainWrite = { afterWrite: { mode: "auto" }, writeOptions: { allowConfigSizeDrop: true } } as const;

export async function openPublisher(options: PublisherOptions): Promise<Publisher> {
  const { home, log, configuration, current, published } = options;
  let door = await readDoorFile(home);
  let publishing: Promise<unknown> = Promise.resolve();
  let isWithdrawn = false;

  return {
    token: door.token,
    get lastPort() {
      return door.port;
    },
    publishSoon: () => publishAfter(10, 1),
    write,
    async withdraw(config) {
      isWithdrawn = true;
      await publishing;
      await config.mutateConfigFile({
        ...plainWrite,
        mutate: (draft) => applyPlan(draft, { entries: {}, denials: [] }, door, door.denials),
      });
      await save({ ...door, denials: [] });
    },
  };

  function publishAfter(ms: number, attempt: number): void {
    setTimeout(() => {
      publishing = publishing
        .then(() => publish(attempt))
        .catch((error: unknown) => log.warn("could not publish the servers", { error }));
    }, ms).unref();
  }

  async function publish(attempt: number): Promise<void> {
    const port = options.port();
    if (port === undefined || isWithdrawn) return;
    if (port !== door.port) await save({ ...door, port });
    const place = { port, token: door.token };
    const planned = planEntries(current(), published(), place, isHidden);
    for (const { server, entry } of planned.clashes)
      log.warn(
        `mcp.servers already has an entry ${entry}, so the server ${server} is not offered. Remove it, or set another toolPrefix.`,
      );
    if (!needsEdit(current(), planned, place, door.denials)) return;
    try {
      await options.idle();
      await write({ ...plainWrite, mutate: () => {} }, attempt);
    } catch (error) {
      if (attempt < maxAttempts) return publishAfter(retryMs, attempt + 1);
      const entries = JSON.stringify(Object.keys(planned.entries));
      log.error(`could not write the entries ${entries} into mcp.servers: ${messageOf(error)}`);
    }
  }

  async function write(edit: ConfigEdit, attempt: number): Promise<void> {
    const port = options.port();
    let { denials } = door;
    const mutate = (draft: OpenClawConfig): void => {
      edit.mutate(draft);
      if (port === undefined || isWithdrawn) return;
      const place = { port, token: door.token };
      const plan = planEntries(draft, published(), place, isHidden);
      applyPlan(draft, plan, place, door.denials);
      ({ denials } = plan);
    };
    await options.write({ ...edit, mutate }, attempt);
    await save({ ...door, denials });
  }

  function isHidden(agent: string, server: string): boolean {
    return !mayUseServer(configuration.current().agents, agent, server);
  }

  async function save(file: DoorFile): Promise<void> {
    door = file;
    await writeDoorFile(home, file);
  }
}
