import { appendJson5, removeJson5, setJson5 } from "../../../core/config/edit-json5.ts";
import { readRawConfig } from "../../../core/config/edit-config.ts";
import { Fault, toFault } from "../../../core/fault.ts";
import type { Home } from "../../../core/files/home.ts";
import { asRecord } from "../../../core/is-record.ts";
import type { Log } from "../../../core/log.ts";
import type { World } from "../../../core/process/world.ts";
import { redactCommandLine } from "../../../core/secrets/redact-command-line.ts";
import { redactText } from "../../../core/secrets/redact.ts";
import { unknownServer } from "../../../sources/servers/definition.ts";
import { anyClient } from "../../../sources/servers/import/clients.ts";
import { findClientFiles } from "../../../sources/servers/import/find-client-files.ts";
import type { ImportedServer } from "../../../sources/servers/import/imported-server.ts";
import { chooseServers, type ImportPlan, planImport } from "../../../sources/servers/import/plan-import.ts";
import { parseJsonFile } from "../../../sources/servers/import/readers.ts";
import { addressOf, type ServerStatus } from "../../../sources/servers/server-status.ts";
import { tryServer } from "../../config-editor.ts";
import { parseConnectTarget, suggestName } from "../../verbs/connect-target.ts";
import { requireServerName, settingsOfTarget } from "../../verbs/connect.ts";
import type { ServersControl } from "../hub-control.ts";
import type { EditedConfigFile } from "./config-file.ts";
import type { AddedServers, ImportableFile, NewServer, ServerEdits } from "./settings-control.ts";

export interface EditServersOptions {
  readonly file: EditedConfigFile;
  readonly home: Home;
  readonly env: World["env"];
  readonly homedir: string;
  readonly log: Log;
  readonly servers: Pick<ServersControl, "list" | "connect">;
  /** Where our own hub listens, so that it does not become a server of itself. */
  hubPort(): number;
}

type Settings = Readonly<Record<string, unknown>>;

/** How long a new server may take to answer before it is added. */
const tryMs = 60_000;

export function createServerEdits(options: EditServersOptions): ServerEdits {
  const { file, env, homedir, log, servers } = options;

  async function define(server: NewServer): Promise<Readonly<Record<string, Settings>>> {
    const known = new Set((await servers.list()).map(({ name }) => name));
    if ([server.url, server.command, server.json].filter((each) => each !== undefined).length !== 1)
      throw new Fault("bad-params", "Give one of `url`, `command` and `json`.");
    if (server.json !== undefined) return readPasted(server.json, server.name, known);
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

  async function readPasted(text: string, name: string | undefined, known: ReadonlySet<string>) {
    const pasted = parseJsonFile(text);
    const block = blockOf(pasted, name);
    const reading = await anyClient.read(JSON.stringify(block), { folder: homedir, scope: "user", homedir });
    const existing = { servers: (await readRawConfig(file.path)).servers, hubPort: options.hubPort() };
    const [chosen = reading] = chooseServers([{ client: "pasted", reading }], existing);
    if (chosen.taken.length === 0) {
      const reasons = chosen.skipped.map(({ name: each, reason }) => `${each} ${reason}`).join("; ");
      throw new Fault("usage", `There is no server to add in this text${reasons === "" ? "" : `: ${reasons}`}.`);
    }
    for (const { name: each } of chosen.taken) requireServerName(each, known);
    return Object.fromEntries(chosen.taken.map(({ name: each, server }) => [each, { ...server }]));
  }

  async function check(added: Readonly<Record<string, Settings>>): Promise<void> {
    const { text } = await file.read();
    const host = {
      env,
      log,
      globals: {},
      ask: () => Promise.resolve(undefined),
      showWhile: <T>(_: string, work: Promise<T>) => work,
      stopSignal: () => AbortSignal.timeout(tryMs),
    };
    for (const [name, settings] of Object.entries(added)) {
      await tryServer(host, { path: file.path, text, name, settings }).catch((error: unknown) => {
        const { code, message, detail } = toFault(error);
        const hint = code === "config" ? "" : " It was not added. You can add it without trying it first.";
        throw new Fault(code, `${redactText(message.trimEnd())}${hint}`, { cause: error, detail });
      });
    }
  }

  async function append(added: Readonly<Record<string, Settings>>): Promise<AddedServers> {
    const { path } = await file.change((text) => appendJson5(text, ["servers"], added));
    const names = Object.keys(added);
    // A server that can't be reached yet stays: its status says why.
    await Promise.allSettled(names.map((name) => servers.connect(name)));
    return { path, added: names, servers: (await servers.list()).filter(({ name }) => names.includes(name)) };
  }

  async function plan(): Promise<ImportPlan> {
    const found = findClientFiles({ homedir, cwd: homedir, platform: process.platform, env });
    const present = await readRawConfig(file.path);
    return planImport(
      found.filter(({ scope }) => scope === "user"),
      { servers: present.servers, hubPort: options.hubPort() },
    );
  }

  return {
    async add(server) {
      const added = await define(server);
      if (server.force !== true) await check(added);
      return append(added);
    },
    async remove(name) {
      const { path } = await file.change((text) => removeJson5(text, ["servers", name]));
      return { removed: name, path };
    },
    async enable(name, on) {
      const known = await servers.list();
      const names = known.map((each) => each.name);
      if (!Object.hasOwn((await readRawConfig(file.path)).servers, name)) throw unknownServer(name, names);
      await file.change((text) => setJson5(text, ["servers", name, "enabled"], on));
      if (on) await servers.connect(name).catch(() => undefined);
      return requireStatus(await servers.list(), name);
    },
    async importable() {
      const { files } = await plan();
      return files.map(describeFile).filter(({ servers: found, skipped, problem }) => {
        return found.length > 0 || skipped.length > 0 || problem !== undefined;
      });
    },
    async import(names) {
      const { servers: offered, needs } = await plan();
      const unknown = names.find((name) => !Object.hasOwn(offered, name));
      if (names.length === 0 || unknown !== undefined)
        throw new Fault("not-found", `There is no server ${unknown ?? ""} to import. Look at the list again.`);
      const chosen = Object.fromEntries(names.map((name) => [name, { ...offered[name] }]));
      return { ...(await append(chosen)), needs: needs.filter((name) => env[name] === undefined) };
    },
  };
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

function requireStatus(list: readonly ServerStatus[], name: string): ServerStatus {
  const found = list.find((each) => each.name === name);
  if (found === undefined)
    throw unknownServer(
      name,
      list.map((each) => each.name),
    );
  return found;
}
