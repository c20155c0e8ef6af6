import { reservedServerNames } from "../../core/config/server-config.ts";
import { codeOf, Fault, toFault } from "../../core/fault.ts";
import { quoted } from "../../core/peer-text.ts";
import { escapeDollars } from "../../sources/servers/import/dialects.ts";
import { isApiKeyNeeded, isSignInNeeded } from "../../sources/servers/oauth/connection-auth.ts";
import { addressOf } from "../../sources/servers/server-status.ts";
import type { ConfigPlace } from "../control/hub-control.ts";
import { type ConnectTarget, parseConnectTarget, suggestName } from "./connect-target.ts";
import { listTools, statusText } from "./servers.ts";
import type { VerbContext, VerbResult } from "./verb.ts";

/** Edits the servers in a configuration file. */
export interface ConfigEditor {
  /** Faults if the server can't be connected with these settings. Writes nothing. */
  check(place: ConfigPlace, name: string, settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** The file need not exist yet. Returns a function that undoes it. */
  add(place: ConfigPlace, name: string, settings: Readonly<Record<string, unknown>>): Promise<() => Promise<void>>;
  /** Changes settings of a server that is in the file. Returns a function that undoes it. */
  set(place: ConfigPlace, name: string, settings: Readonly<Record<string, unknown>>): Promise<() => Promise<void>>;
  remove(place: ConfigPlace, name: string): Promise<void>;
}

export interface ConnectRequest {
  /** The name of a configured server, an address, or a command. */
  readonly words: readonly string[];
  readonly name?: string | undefined;
  /** More settings, as they are written in the configuration: `$NAME` is read from the environment. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Adds it without trying to connect first. */
  readonly force?: boolean | undefined;
  /** Offers the user to sign in to a server that requires it. Returns whether they did; absent if no one can be asked. */
  signIn?(server: string): Promise<boolean>;
}

/**
 * `connect …`: adds a server to the configuration if it is not there yet, connects to it, and shows its tools. A server that
 * can't be reached is not added: usually it is a typo.
 */
export async function runConnect(
  context: VerbContext,
  editor: ConfigEditor,
  request: ConnectRequest,
): Promise<VerbResult> {
  const known = await context.control.servers.list();
  const [first = "", ...more] = request.words;
  if (more.length === 0 && known.some(({ name }) => name === first)) return reconnect(context, editor, request, first);

  const target = parseConnectTarget(request.words);
  const same = known.find(({ address }) => address === addressOfTarget(target));
  if (same !== undefined && request.name === undefined) return reconnect(context, editor, request, same.name);
  const names = new Set(known.map(({ name }) => name));
  const name = request.name ?? suggestName(target, names);
  requireServerName(name, names);
  const place = await context.control.configuration.place();
  const settings = { ...settingsOfTarget(target), ...request.settings };
  if (request.force !== true) {
    const slip =
      more.length === 0 && /^[\w.-]+$/.test(first)
        ? `There is no server named ${first} either; run \`${context.prefix} servers\` to list them. `
        : "";
    await check(context, editor, place, name, settings, more.length === 0 ? { slip, name: first } : { slip });
  }
  await reloadOrUndo(context, await editor.add(place, name, settings));
  return connect(context, request, name, place);
}

/** Connects a configured server, with the settings that the request changes. */
async function reconnect(
  context: VerbContext,
  editor: ConfigEditor,
  request: ConnectRequest,
  name: string,
): Promise<VerbResult> {
  const { settings = {} } = request;
  if (Object.keys(settings).length > 0) {
    await requireFit(context, name, settings);
    const place = await context.control.configuration.place();
    await reloadOrUndo(context, await editor.set(place, name, settings));
  }
  return connect(context, request, name);
}

/** A key for a command, or variables for an address, would be ignored. */
async function requireFit({ control }: VerbContext, name: string, settings: Readonly<Record<string, unknown>>) {
  const server = (await control.servers.list()).find((each) => each.name === name);
  const isCommand = server?.address.startsWith("stdio://") ?? false;
  if (isCommand && ("apiKey" in settings || "headers" in settings))
    throw new Fault(
      "usage",
      `${name} is started by a command, so it gets its key as a variable: use --env <NAME=value>.`,
    );
  if (!isCommand && "env" in settings)
    throw new Fault("usage", `${name} has an address, so it gets its key in a header: use --api-key or --header.`);
}

/** A file that can't be used would also block every other change to it. */
async function reloadOrUndo({ control }: VerbContext, undo: () => Promise<void>): Promise<void> {
  try {
    await control.configuration.reload();
  } catch (error) {
    await undo();
    throw error;
  }
}

async function check(
  { prefix }: VerbContext,
  editor: ConfigEditor,
  place: ConfigPlace,
  name: string,
  settings: Readonly<Record<string, unknown>>,
  typed: { readonly slip: string; readonly name?: string },
): Promise<void> {
  try {
    await editor.check(place, name, settings);
  } catch (error) {
    const { code, message, detail } = toFault(error);
    if (code === "config" || code === "cancelled") throw error;
    const hint = `${packageHint(prefix, typed.name, error)}${typed.slip}It was not added to ${place.path}. To add it anyway, run \`${prefix} connect --force …\`.`;
    throw new Fault(code, `${message.trimEnd()} ${hint}`, { cause: error, detail });
  }
}

const packageName = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(?:@[\w.^~-]+)?$/;

/** A word that is no command here may be a package: READMEs name servers so. */
function packageHint(prefix: string, name: string | undefined, error: unknown): string {
  if (name === undefined || !packageName.test(name) || !isMissingCommand(error)) return "";
  return `If ${name} is an npm package, run \`${prefix} connect -- npx -y ${name}\`. `;
}

function isMissingCommand(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (codeOf(cause) === "ENOENT") return true;
  return false;
}

/** A server that was added stays in the configuration, even if the first attempt to connect fails. */
async function connect(
  context: VerbContext,
  { signIn }: Pick<ConnectRequest, "signIn">,
  name: string,
  added?: ConfigPlace,
): Promise<VerbResult> {
  const head = added === undefined ? [] : [`Added ${name} to ${added.path}.`];
  try {
    const server = await context.control.servers.connect(name);
    const tools = await listTools(context, name);
    const text = [...head, statusText(server, context), "", tools.text].join("\n");
    return { ok: true, data: { server, added: added?.path ?? null, ...(tools.data as object) }, text };
  } catch (error) {
    const helps = isSignInNeeded(error) && !isApiKeyNeeded(error);
    if (signIn !== undefined && helps && (await signIn(name))) return connect(context, {}, name, added);
    if (added === undefined) throw error;
    const { code, message } = toFault(error);
    const text = `${head.join("")} Could not connect to it yet: ${message}`;
    return { ok: false, data: { added: added.path, name, error: { code, message } }, text };
  }
}

export function settingsOfTarget(target: ConnectTarget): Record<string, unknown> {
  if ("url" in target) return { url: escapeDollars(target.url) };
  const { command, args } = target;
  return { command: escapeDollars(command), ...(args.length > 0 && { args: args.map(escapeDollars) }) };
}

/**
 * Undefined for an address with a query or a command with a key: two that differ only in that are two servers, and addresses
 * are shown without it.
 */
function addressOfTarget(target: ConnectTarget): string | undefined {
  if ("url" in target) {
    const url = new URL(target.url);
    return url.search === "" ? addressOf({ url }) : undefined;
  }
  const address = addressOf(target);
  return address === `stdio://${[target.command, ...target.args].join(" ")}` ? address : undefined;
}

/** Faults if a new server can't have this name. */
export function requireServerName(name: string, taken: ReadonlySet<string>): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name))
    throw new Fault("usage", `${quoted(name, 80)} is not a valid server name. Use letters, digits, "_", "." and "-".`);
  if (reservedServerNames.includes(name))
    throw new Fault("usage", `Clawport itself uses the name ${name}. Choose another name with --name.`);
  if (taken.has(name))
    throw new Fault("conflict", `There is already a server named ${name}. Choose another name with --name.`);
}
