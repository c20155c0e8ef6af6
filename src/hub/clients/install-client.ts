import { join } from "node:path";
import { Fault, isFault } from "../../core/fault.ts";
import { withFileLock } from "../../core/files/file-lock.ts";
import { nearestName } from "../../core/text/nearest-name.ts";
import { quoted } from "../../core/text/peer-text.ts";
import {
  type ClientFile,
  readClientFile,
  type ReplaceOptions,
  replaceClientFile,
  requireWritable,
} from "./client-file.ts";
import {
  type ClientCommand,
  type ClientMachine,
  type InstallableClient,
  installableClients,
} from "../../sources/servers/import/client-table.ts";
import { ensureClientToken, revokeClientToken } from "./client-token.ts";
import { cutEntry, findEntry, putEntry } from "./edit-block.ts";
import type { DiffRow } from "../../core/text/compare-lines.ts";
import { diffLines } from "./line-diff.ts";

/** What an edit of a client's file would do. Nothing is written yet. */
export interface ClientEdit {
  readonly client: InstallableClient;
  readonly file: ClientFile;
  readonly text: string;
  readonly diff: readonly DiffRow[];
}

export function requireClient(name: string): InstallableClient {
  const client = installableClients.find(({ id }) => id === name);
  if (client !== undefined) return client;
  const ids = installableClients.map(({ id }) => id);
  const near = nearestName(name, ids);
  const hint = near === undefined ? `The clients are ${ids.join(", ")}.` : `Did you mean ${quoted(near)}?`;
  throw new Fault("usage", `${quoted(name, 60)} is not a client that Clawport knows. ${hint}`);
}

export interface CommandParts {
  /** How this program was started: Node and the file. */
  readonly program: readonly string[];
  /** The state folder. Always named: not every client passes its environment on. */
  readonly home: string;
  /** The configuration that was named, if one was. */
  readonly config?: string | undefined;
}

/** The command that this client starts. It names itself, so that the hub knows it by its own token. */
export function commandFor(client: InstallableClient, { program, home, config }: CommandParts): ClientCommand {
  const [command = "clawport", ...first] = program;
  const args = [...first, "serve", "--stdio", "--as", client.id, "--home", home];
  if (config !== undefined) args.push("--config", config);
  if (client.without === "orders") args.push("--no-orders");
  return { command, args };
}

export async function planInstall(
  client: InstallableClient,
  machine: ClientMachine,
  parts: CommandParts,
): Promise<ClientEdit> {
  const entry = client.entry(commandFor(client, parts));
  return planEdit(client, machine, (text) => putEntry(text, client, entry));
}

export async function planUninstall(client: InstallableClient, machine: ClientMachine): Promise<ClientEdit> {
  return planEdit(client, machine, (text) => (findEntry(text, client) === undefined ? text : cutEntry(text, client)));
}

/** Takes the entries of other servers out of a client's file, since Clawport has them now. */
export async function planMove(
  client: InstallableClient,
  machine: ClientMachine,
  names: readonly string[],
): Promise<ClientEdit> {
  return planEdit(client, machine, (text) => names.reduce((rest, name) => cutEntry(rest, client, name), text));
}

/** Returns the path of the file's old content. */
export async function applyMove(edit: ClientEdit, options: EditOptions): Promise<string | undefined> {
  return withClientLock(edit, options, () => write(edit, options));
}

/** Every problem that the write would meet is reported here, before anyone is asked. */
async function planEdit(
  client: InstallableClient,
  machine: ClientMachine,
  change: (text: string) => string,
): Promise<ClientEdit> {
  const file = await readClientFile(client.file(machine));
  try {
    const text = change(file.text);
    if (text !== file.text) await requireWritable(file);
    return { client, file, text, diff: diffLines(file.text, text) };
  } catch (error) {
    if (!isFault(error)) throw error;
    const message = `Could not change ${file.path}: ${error.message} Nothing was written. Run \`clawport clients ${client.id}\` to see the entry, and edit the file by hand.`;
    throw new Fault(error.code, message, { cause: error });
  }
}

/** The token comes first: the entry works from the moment it is written. */
export async function applyInstall(edit: ClientEdit, options: EditOptions): Promise<AppliedEdit> {
  return withClientLock(edit, options, async () => {
    const isNew = await ensureClientToken(options, edit.client.id);
    try {
      return { backup: await write(edit, options), token: isNew };
    } catch (error) {
      if (isNew) await revokeClientToken(options, edit.client.id);
      throw error;
    }
  });
}

/** The entry goes first: without it no client uses the token. */
export async function applyUninstall(edit: ClientEdit, options: EditOptions): Promise<AppliedEdit> {
  return withClientLock(edit, options, async () => {
    const backup = await write(edit, options);
    return { backup, token: await revokeClientToken(options, edit.client.id) };
  });
}

type EditOptions = Omit<ReplaceOptions, "client">;

/** Of two commands for the same client at the same time, one would take the token of the other away. */
function withClientLock<T>({ client }: ClientEdit, { home, log }: EditOptions, work: () => Promise<T>): Promise<T> {
  return withFileLock(home.file("clients", `${client.id}.lock`), { log, removeAfter: true }, work);
}

export interface AppliedEdit {
  /** The path of the file's old content; undefined if there was none, or nothing changed. */
  readonly backup: string | undefined;
  /** Whether a token was made, or revoked. */
  readonly token: boolean;
}

async function write(edit: ClientEdit, options: EditOptions): Promise<string | undefined> {
  if (edit.text === edit.file.text) return undefined;
  return replaceClientFile(edit.file, edit.text, { ...options, client: edit.client });
}

/** npm may empty this cache at any time, and the entry would then lead nowhere. */
export function isInNpxCache(program: readonly string[]): boolean {
  return program.some((part) => part.includes(join("/", "_npx", "/")));
}
