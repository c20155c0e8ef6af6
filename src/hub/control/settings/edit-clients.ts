import { hubMcpUrl, mcpUrlWithoutAgent } from "../../../core/http/hub-routes.ts";
import { redactText } from "../../../core/secrets/redact.ts";
import { readClientState } from "../../clients/client-state.ts";
import {
  type ClientMachine,
  type InstallableClient,
  installableClients,
} from "../../../sources/servers/import/client-table.ts";
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
import type { HubContext } from "../contexts.ts";

export interface ClientEntry {
  readonly id: string;
  readonly title: string;
  readonly file: string;
  readonly state: "installed" | "not-installed" | "absent" | "unknown";
  readonly problem?: string | undefined;
  /** What goes into its file, for pasting. */
  readonly block: string;
  readonly httpBlock?: string | undefined;
  /** What to do once the entry is written. */
  readonly next: string;
}

export interface InstalledClient {
  readonly id: string;
  readonly file: string;
  readonly written: boolean;
  readonly backup?: string | undefined;
  readonly next: string;
}

export function listClients(hub: HubContext): Promise<readonly ClientEntry[]> {
  const [machine, parts] = [machineOf(hub), partsOf(hub)];
  const url = hubMcpUrl(hub.engine.http?.address ?? "http://127.0.0.1:8765");
  return Promise.all(
    installableClients.map(async (client) => {
      const http = client.httpEntry?.(client.without === "orders" ? mcpUrlWithoutAgent(url) : url);
      return {
        id: client.id,
        title: client.title,
        file: client.file(machine),
        ...(await stateOf(client, machine)),
        block: renderBlock(client, client.entry(commandFor(client, parts))),
        ...(http !== undefined && { httpBlock: renderBlock(client, http, client.httpExtra) }),
        next: client.next,
      };
    }),
  );
}

/** What `installClient` would change. */
export async function previewClient(hub: HubContext, id: string) {
  const { file, diff } = await planInstall(requireClient(id), machineOf(hub), partsOf(hub));
  return { file: file.path, diff };
}

export async function installClient(hub: HubContext, id: string): Promise<InstalledClient> {
  const edit = await planInstall(requireClient(id), machineOf(hub), partsOf(hub));
  return summaryOf(edit, (await applyInstall(edit, editOptions(hub))).backup);
}

export async function uninstallClient(hub: HubContext, id: string): Promise<InstalledClient> {
  const edit = await planUninstall(requireClient(id), machineOf(hub));
  return summaryOf(edit, (await applyUninstall(edit, editOptions(hub))).backup);
}

function machineOf({ homedir, env }: HubContext): ClientMachine {
  return { homedir, platform: process.platform, env };
}

function partsOf({ home, place }: HubContext): CommandParts {
  return {
    // How this process was started, so that a client starts the same program.
    program: [process.execPath, process.argv[1] ?? "clawport"],
    home: home.path,
    ...(place.location === "flag" && { config: place.path }),
  };
}

function editOptions({ home, log }: HubContext) {
  return { home, log, now: new Date() };
}

function summaryOf({ client, file, diff }: ClientEdit, backup: string | undefined): InstalledClient {
  const { id, next } = client;
  return { id, file: file.path, written: diff.length > 0, ...(backup !== undefined && { backup }), next };
}

async function stateOf(
  client: InstallableClient,
  machine: ClientMachine,
): Promise<Pick<ClientEntry, "state" | "problem">> {
  const found = await readClientState(client, machine);
  return found.state === "unknown" ? { ...found, problem: redactText(found.problem).slice(0, 200) } : found;
}
