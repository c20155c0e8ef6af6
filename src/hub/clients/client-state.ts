import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../core/fault.ts";
import { readClientFile } from "./client-file.ts";
import type { ClientMachine, InstallableClient } from "../../sources/servers/import/client-table.ts";
import { findEntry } from "./edit-block.ts";

/** Whether a client has our entry. It is absent if nothing of it is on this machine. */
export type ClientState =
  | { readonly state: "installed" | "not-installed" | "absent" }
  | { readonly state: "unknown"; readonly problem: string };

export async function readClientState(client: InstallableClient, machine: ClientMachine): Promise<ClientState> {
  const path = client.file(machine);
  try {
    const file = await readClientFile(path);
    if (findEntry(file.text, client) !== undefined) return { state: "installed" };
    const traces = client.traces?.(machine) ?? [dirname(path)];
    return { state: file.exists || traces.some((trace) => existsSync(trace)) ? "not-installed" : "absent" };
  } catch (error) {
    return { state: "unknown", problem: messageOf(error) };
  }
}
