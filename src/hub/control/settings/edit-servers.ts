import { appendJson5, removeJson5, setJson5 } from "../../../core/config/json5/edit-json5.ts";
import { readRawConfig } from "../../../core/config/edit-config.ts";
import { Fault, toFault } from "../../../core/fault.ts";
import { asRecord } from "../../../core/is-record.ts";
import { redactCommandLine } from "../../../core/secrets/redact-command-line.ts";
import { redactText } from "../../../core/secrets/redact.ts";
import { unknownServer } from "../../../sources/servers/definition.ts";
import { anyClient } from "../../../sources/servers/import/client-table.ts";
import { findClientFiles } from "../../../sources/servers/import/find-client-files.ts";
import type { ImportedServer } from "../../../sources/servers/import/imported-server.ts";
import { chooseServers, type ImportPlan, planImport } from "../../../sources/servers/import/plan-import.ts";
import { parseJsonFile } from "../../../sources/servers/import/readers.ts";
import { addressOf, type ServerStatus } from "../../../sources/servers/server-status.ts";
import { tryServer } from "./config-editor.ts";
import { parseConnectTarget, requireServerName, settingsOfTarget, suggestName } from "./connect-target.ts";
import type { FileContext, HubContext } from "../contexts.ts";
import type { Input } from "../input.ts";
import type { newServer } from "../verbs/servers.ts";
import { openConfigFile } from "./config-file.ts";

export type NewServer = Input<typeof newServer>;

export interface AddedServers {
  /** The configuration file that they are in now. */
  readonly path: string;
  readonly added: readonly string[];
  /** Of the added ones. One that needs a sign-in, or could not be reached, says so. */
  readonly servers: readonly ServerStatus[];
}

/** A server that another program is configured with. */
interface ImportableServer {
  /** Its name once it is imported. */
  readonly name: string;
  readonly address: string;
  /** What is different here, such as a name or a switch. */
  readonly notes: readonly string[];
}

/** What one file of another program offers. */
export interface ImportableFile {
  readonly client: string;
  readonly title: string;
  readonly path: string;
  readonly servers: readonly ImportableServer[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** Why it can't be read. */
  readonly problem?: string | undefined;
}

type Settings = Readonly<Record<string, unknown>>;

/** How long a new server may take to answer before it is added. */
const tryMs = 60_000;

export async function addServer(hub: HubContext, server: NewServer): Promise<AddedServers> {
  const added = await define(hub, server);
  if (server.force !== true) await check(hub, added);
  return append(hub, added);
}

export async function removeServer(hub: HubContext, name: string) {
  const { path } = await openConfigFile(hub).change((text) => removeJson5(text, ["servers", name]));
  return { removed: name, path };
}

interface ServerSwitch {
  readonly name: string;
  readonly on: boolean;
}

export async function enableServer(file: FileContext, { name, on }: ServerSwitch): Promise<ServerStatus> {
  const { servers, place } = file;
  const names = (await servers.list()).map((each) => each.name);
  if (!Object.hasOwn((await readRawConfig(place.path)).servers, name)) throw unknownServer(name, names);
  await openConfigFile(file).change((text) => setJson5(text, ["servers", name, "enabled"], on));
  if (on) await servers.connect(name).catch(() => undefined);
  const found = (await servers.list()).find((each) => each.name === name);
  if (found === undefined) throw unknownServer(name, names);
  return found;
}

export async function listImportable(hub: HubContext): Promise<readonly ImportableFile[]> {
  const { files } = await plan(hub);
  return files.map(describeFile).filter(({ servers: found, skipped, problem }) => {
    return found.length > 0 || skipped.length > 0 || problem !== undefined;
  });
}

export async function importServers(hub: HubContext, names: readonly string[]) {
  const { servers: offered, needs } = await plan(hub);
  const unknown = names.find((name) => !Object.hasOwn(offered, name));
  if (names.length === 0 || unknown !== undefined)
    throw new Fault("not-found", `There is no server ${unknown ?? ""} to import. Look at the list again.`);
  const chosen = Object.fromEntries(names.map((name) => [name, { ...offered[name] }]));
  return { ...(await append(hub, chosen)), needs: needs.filter((name) => hub.env[name] === undefined) };
}

async function define(hub: HubContext, server: NewServer): Promise<Readonly<Record<string, Settings>>> {
  const known = new Set((await hub.servers.list()).map(({ name }) => name));
  if ([server.url, server.command, server.json].filter((each) => each !== undefined).length !== 1)
    throw new Fault("bad-params", "Give one of `url`, `command` and `json`.");
  if (server.json !== undefined) return readPasted(hub, server.json, server.name, known);
  const { url, command = "", args, apiKey, headers, env: variables } = server;
  const target = args === undefined ? parseConnectTarget([(url ?? command).trim()]) : { command, args };
  if ((url === undefined) === "url" in target)
    throw new Fault("usage", "Give an address such as https://example.com/mcp, or a command.");
  const name = server.name ?? suggestName(target, known);
  requireServerName(name, known);
  const extra = {
    ...(apiKey !== undefined && { apiKey }),
    ...(headers !== undefined && { headers }),
    ...(variables !== undefined && { env: variables }),
  };
  return { [name]: { ...settingsOfTarget(target), ...extra } };
}

async function readPasted(hub: HubContext, text: string, name: string | undefined, known: ReadonlySet<string>) {
  const pasted = parseJsonFile(text);
  const block = blockOf(pasted, name);
  const reading = await anyClient.import.read(JSON.stringify(block), {
    folder: hub.homedir,
    scope: "user",
    homedir: hub.homedir,
  });
  const existing = await presentServers(hub);
  const [chosen = reading] = chooseServers([{ client: "pasted", reading }], existing);
  if (chosen.taken.length === 0) {
    const reasons = chosen.skipped.map(({ name: each, reason }) => `${each} ${reason}`).join("; ");
    throw new Fault("usage", `There is no server to add in this text${reasons === "" ? "" : `: ${reasons}`}.`);
  }
  for (const { name: each } of chosen.taken) requireServerName(each, known);
  return Object.fromEntries(chosen.taken.map(({ name: each, server }) => [each, { ...server }]));
}

async function check(
  { place, env, log, home, homedir }: HubContext,
  added: Readonly<Record<string, Settings>>,
): Promise<void> {
  const { text } = await readRawConfig(place.path);
  const host = {
    env,
    homedir,
    log,
    globals: {},
    ask: () => Promise.resolve(undefined),
    showWhile: <T>(_: string, work: Promise<T>) => work,
    stopSignal: () => AbortSignal.timeout(tryMs),
  };
  for (const [name, settings] of Object.entries(added)) {
    await tryServer(host, home, { path: place.path, text, name, settings }).catch((error: unknown) => {
      const { code, message, detail } = toFault(error);
      const hint = code === "config" ? "" : " It was not added. You can add it without trying it first.";
      throw new Fault(code, `${redactText(message.trimEnd())}${hint}`, { cause: error, detail });
    });
  }
}

async function append(hub: HubContext, added: Readonly<Record<string, Settings>>): Promise<AddedServers> {
  const { path } = await openConfigFile(hub).change((text) => appendJson5(text, ["servers"], added));
  const names = Object.keys(added);
  // A server that can't be reached yet stays: its status says why.
  await Promise.allSettled(names.map((name) => hub.servers.connect(name)));
  return { path, added: names, servers: (await hub.servers.list()).filter(({ name }) => names.includes(name)) };
}

async function plan(hub: HubContext): Promise<ImportPlan> {
  const { homedir, env } = hub;
  const found = findClientFiles({ homedir, cwd: homedir, platform: process.platform, env });
  return planImport(
    found.filter(({ scope }) => scope === "user"),
    await presentServers(hub),
  );
}

/** What is configured, and where our own hub listens, so that it does not become a server of itself. */
async function presentServers({ place, engine }: HubContext) {
  const { servers } = await readRawConfig(place.path);
  return { servers, hubPort: engine.http?.port ?? engine.config.hub.port };
}

/** The usual shapes of what is pasted: a block with a name for the servers, the servers alone, or one server. */
function blockOf(pasted: unknown, name: string | undefined): Settings {
  const value = asRecord(pasted);
  if (isServer(value)) return { mcpServers: { [name ?? nameOf(value)]: value } };
  const isMap = Object.values(value).length > 0 && Object.values(value).every((each) => isServer(asRecord(each)));
  return isMap ? { mcpServers: value } : value;
}

function isServer(value: Settings): boolean {
  return ["url", "command", "serverUrl", "httpUrl"].some((key) => typeof value[key] === "string");
}

function nameOf({ url, command, args }: Settings): string {
  const texts = Array.isArray(args) ? args.filter((each) => typeof each === "string") : [];
  if (typeof url === "string" && URL.canParse(url)) return suggestName({ url }, new Set());
  return suggestName({ command: typeof command === "string" ? command : "server", args: texts }, new Set());
}

function describeFile({ file, taken, skipped, problem }: ImportPlan["files"][number]): ImportableFile {
  return {
    client: file.client.id,
    title: file.client.title,
    path: file.path,
    servers: taken.map(({ name, server, notes }) => ({
      name,
      address: addressText(server),
      notes: notes.map(redactText),
    })),
    skipped: skipped.map(({ name, reason }) => ({ name, reason: redactText(reason) })),
    ...(problem !== undefined && { problem: redactText(problem) }),
  };
}

function addressText({ url, command = "", args = [] }: ImportedServer): string {
  if (url === undefined) return `stdio://${redactCommandLine([command, ...args])}`;
  const parsed = URL.parse(url);
  return parsed === null ? redactText(url) : addressOf({ url: parsed });
}
