import type { Home } from "../../../core/files/home.ts";
import { hubMcpUrl, mcpUrlWithoutAgent } from "../../../core/http/hub-routes.ts";
import type { Log } from "../../../core/log.ts";
import type { World } from "../../../core/process/world.ts";
import { redactText } from "../../../core/secrets/redact.ts";
import { readClientState } from "../../clients/client-state.ts";
import { type ClientMachine, type McpClient, mcpClients } from "../../clients/client-table.ts";
import { renderBlock } from "../../clients/edit-block.ts";
import {
  applyInstall,
  applyUninstall,
  type ClientEdit,
  commandFor,
  type CommandParts,
  planInstall,
  planUninstall,
  requireClient,
} from "../../clients/install-client.ts";
import type { ConfigPlace } from "../hub-control.ts";
import type { ClientEntry, ClientsControl, InstalledClient } from "./settings-control.ts";

export interface ClientsOptions {
  readonly home: Home;
  readonly env: World["env"];
  readonly homedir: string;
  readonly log: Log;
  readonly place: ConfigPlace;
  /** `http://127.0.0.1:8765` */
  address(): string | undefined;
}

/** The MCP clients on this machine, and our entry in their files. */
export function createClientsControl({ home, env, homedir, log, place, address }: ClientsOptions): ClientsControl {
  const machine: ClientMachine = { homedir, platform: process.platform, env };
  const parts: CommandParts = {
    // How this process was started, so that a client starts the same program.
    program: [process.execPath, process.argv[1] ?? "clawport"],
    home: home.path,
    ...(place.location === "flag" && { config: place.path }),
  };

  async function describe(client: McpClient): Promise<ClientEntry> {
    const file = client.file(machine);
    const url = hubMcpUrl(address() ?? "http://127.0.0.1:8765");
    const http = client.httpEntry?.(client.without === "orders" ? mcpUrlWithoutAgent(url) : url);
    return {
      id: client.id,
      title: client.title,
      file,
      ...(await stateOf(client, machine)),
      block: renderBlock(client, client.entry(commandFor(client, parts))),
      ...(http !== undefined && { httpBlock: renderBlock(client, http, client.httpExtra) }),
      next: client.next,
    };
  }

  const editOptions = () => ({ home, log, now: new Date() });

  return {
    list: () => Promise.all(mcpClients.map(describe)),
    async preview(id) {
      const { file, diff } = await planInstall(requireClient(id), machine, parts);
      return { file: file.path, diff };
    },
    async install(id) {
      const edit = await planInstall(requireClient(id), machine, parts);
      return summaryOf(edit, (await applyInstall(edit, editOptions())).backup);
    },
    async uninstall(id) {
      const edit = await planUninstall(requireClient(id), machine);
      return summaryOf(edit, (await applyUninstall(edit, editOptions())).backup);
    },
  };
}

function summaryOf({ client, file, diff }: ClientEdit, backup: string | undefined): InstalledClient {
  const { id, next } = client;
  return { id, file: file.path, written: diff.length > 0, ...(backup !== undefined && { backup }), next };
}

async function stateOf(client: McpClient, machine: ClientMachine): Promise<Pick<ClientEntry, "state" | "problem">> {
  const found = await readClientState(client, machine);
  return found.state === "unknown" ? { ...found, problem: redactText(found.problem).slice(0, 200) } : found;
}
