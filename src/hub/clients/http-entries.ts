import { isFault } from "../../core/fault.ts";
import { requireTrustedHolder } from "../../core/http/port-holder.ts";
import { asRecord } from "../../core/is-record.ts";
import { readClientFile } from "./client-file.ts";
import {
  type ClientMachine,
  type InstallableClient,
  installableClients,
} from "../../sources/servers/import/client-table.ts";
import { findEntry } from "./edit-block.ts";

export interface HttpEntryProblem {
  readonly client: InstallableClient;
  readonly problem: string;
}

/**
 * Clients whose entry has the hub's HTTP address while a program of another user holds that port: unlike our own entries,
 * such a client sends its token to who listens there.
 */
export async function findHttpProblems(machine: ClientMachine): Promise<readonly HttpEntryProblem[]> {
  const found = await Promise.all(
    installableClients.map(async (client) => {
      const problem = await problemOf(client, machine).catch(() => undefined);
      return problem === undefined ? [] : [{ client, problem }];
    }),
  );
  return found.flat();
}

async function problemOf(client: InstallableClient, machine: ClientMachine): Promise<string | undefined> {
  const { text } = await readClientFile(client.file(machine));
  const { url, httpUrl } = asRecord(findEntry(text, client));
  const address = URL.parse(String(url ?? httpUrl));
  if (address?.protocol !== "http:") return undefined;
  const advice = `Run \`clawport install ${client.id}\`, whose entry needs no port.`;
  const { hostname: host, port } = address;
  try {
    requireTrustedHolder({ host, port: Number(port || 80), what: "the hub", advice });
    return undefined;
  } catch (error) {
    if (!isFault(error, "denied")) throw error;
    const { uid } = asRecord(error.detail);
    return `${client.title} sends its token to port ${port}, which a program of another user (UID ${String(uid)}) holds. ${advice}`;
  }
}
