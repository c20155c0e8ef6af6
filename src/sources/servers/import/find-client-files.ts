import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { anyClient, type ClientMachine, type ImportableClient, importableClients } from "./client-table.ts";
import type { ClientFileContext } from "./imported-server.ts";

/** A file of a client, and the context to read it in. */
export interface FoundClientFile extends ClientFileContext {
  readonly client: ImportableClient;
  readonly path: string;
}

export interface HostEnvironment extends ClientMachine {
  readonly cwd: string;
}

/** The files of all clients on this machine, those of the user before those of the working folder. */
export function findClientFiles(host: HostEnvironment): readonly FoundClientFile[] {
  const { cwd, homedir } = host;
  const filesOf = (
    scope: "user" | "project",
    pathsOf: (client: (typeof importableClients)[number]) => readonly string[],
  ) =>
    importableClients.flatMap((client) =>
      pathsOf(client).map((path) => ({ client, path: resolve(cwd, path), scope, folder: cwd, homedir })),
    );
  const all: readonly FoundClientFile[] = [
    ...filesOf("user", (client) => [client.file(host), ...(client.import.moreFiles?.(host) ?? [])]),
    ...filesOf("project", (client) => client.import.projectFiles ?? []),
  ];
  const isFirst = ({ path }: FoundClientFile, index: number): boolean =>
    all.findIndex((each) => each.path === path) === index;
  return all.filter(isFirst).filter(({ path }) => isFile(path));
}

/** A file that the user named: one of those above, or one whose client is known by its name. */
export function clientFileOf(path: string, host: HostEnvironment): FoundClientFile {
  const known = findClientFiles(host).find((file) => file.path === path);
  if (known !== undefined) return known;
  const client = importableClients.find((each) => each.import.named.test(path)) ?? anyClient;
  const parent = dirname(path);
  const folder = /^(?:\..*|config)$/.test(basename(parent)) ? dirname(parent) : parent;
  return { client, path, scope: "project", folder, homedir: host.homedir };
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}
