import { codeOf, Fault, toFault } from "../../core/fault.ts";
import { isApiKeyNeeded, isSignInNeeded } from "../../sources/servers/oauth/connection-auth.ts";
import { addressOf } from "../../sources/servers/server-status.ts";
import type { FoundConfig } from "../../core/config/find-config.ts";
import {
  type ConnectTarget,
  parseConnectTarget,
  requireServerName,
  settingsOfTarget,
  suggestName,
} from "../control/settings/connect-target.ts";
import { presentTools, statusText } from "./servers.ts";
import type { PresentationContext, Presented } from "./presentation.ts";

/** Edits the servers in a configuration file. */
export interface ConfigEditor {
  /** Faults if the server can't be connected with these settings. Writes nothing. */
  check(place: FoundConfig, name: string, settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** The file need not exist yet. Returns a function that undoes it. */
  add(place: FoundConfig, name: string, settings: Readonly<Record<string, unknown>>): Promise<() => Promise<void>>;
  /** Changes settings of a server that is in the file. Returns a function that undoes it. */
  set(place: FoundConfig, name: string, settings: Readonly<Record<string, unknown>>): Promise<() => Promise<void>>;
  remove(place: FoundConfig, name: string): Promise<void>;
}

type Settings = Readonly<Record<string, unknown>>;

export interface ConnectRequest {
  /** The name of a configured server, an address, or a command. */
  readonly words: readonly string[];
  readonly name?: string | undefined;
  /** More settings, as they are written in the configuration: `$NAME` is read from the environment. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Adds it without trying to connect first. */
  readonly force?: boolean | undefined;
  /** What is added to the settings of a new server: the sandbox that was found for it, say. */
  complete?(place: FoundConfig, name: string, settings: Settings): Promise<Settings>;
  /**
   * Offers the user to sign in to a server that requires it. Returns whether they did, or what to tell them if they do it
   * later; absent if no one can be asked.
   */
  signIn?(server: string): Promise<boolean | Presented>;
}

/**
 * `connect …`: adds a server to the configuration if it is not there yet, connects to it, and shows its tools. A server that
 * can't be reached is not added: usually it is a typo.
 */
export async function runConnect(
  context: PresentationContext,
  editor: ConfigEditor,
  request: ConnectRequest,
): Promise<Presented> {
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
  const typed = { ...settingsOfTarget(target), ...request.settings };
  const settings = (await request.complete?.(place, name, typed)) ?? typed;
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
  context: PresentationContext,
  editor: ConfigEditor,
  request: ConnectRequest,
  name: string,
): Promise<Presented> {
  const { settings = {} } = request;
  if (Object.keys(settings).length > 0) {
    await requireFit(context, name, settings);
    const place = await context.control.configuration.place();
    await reloadOrUndo(context, await editor.set(place, name, settings));
  }
  return connect(context, request, name);
}

/** A key for a command, or variables for an address, would be ignored. */
async function requireFit({ control }: PresentationContext, name: string, settings: Readonly<Record<string, unknown>>) {
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
async function reloadOrUndo({ control }: PresentationContext, undo: () => Promise<void>): Promise<void> {
  try {
    await control.configuration.reload();
  } catch (error) {
    await undo();
    throw error;
  }
}

async function check(
  { prefix }: PresentationContext,
  editor: ConfigEditor,
  place: FoundConfig,
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
  context: PresentationContext,
  { signIn }: Pick<ConnectRequest, "signIn">,
  name: string,
  added?: FoundConfig,
): Promise<Presented> {
  const head = added === undefined ? [] : [`Added ${name} to ${added.path}.`];
  try {
    const server = await context.control.servers.connect({ name });
    const tools = await presentTools(context, name);
    const next = added === undefined ? [] : nextSteps(context, name);
    const text = [...head, statusText(server, context), "", tools.text, ...next].join("\n");
    return { ok: true, data: { server, added: added?.path ?? null, ...(tools.data as object) }, text };
  } catch (error) {
    const helps = isSignInNeeded(error) && !isApiKeyNeeded(error);
    const signedIn = helps && ((await signIn?.(name)) ?? false);
    if (signedIn === true) return connect(context, {}, name, added);
    if (signedIn !== false) return begun(head, name, added, signedIn);
    if (added === undefined) throw error;
    const { code, message } = toFault(error);
    const text = `${head.join("")} Could not connect to it yet: ${message}`;
    return { ok: false, data: { added: added.path, name, error: { code, message } }, text };
  }
}

/** For who adds a server at a terminal: in a chat, the agent has its tools already. */
function nextSteps({ table, prefix }: PresentationContext, name: string): readonly string[] {
  if (table === undefined) return [];
  return [
    "",
    `Next: \`${prefix} clients\` lists the programs that can use its tools, and \`${prefix} rule add ask '${name}__*'\` makes its calls wait for your approval.`,
  ];
}

/** The sign-in waits for the user. */
function begun(head: readonly string[], name: string, added: FoundConfig | undefined, signIn: Presented): Presented {
  const text = [...head, `${name} requires a sign-in.`, signIn.text].join("\n");
  return { ok: signIn.ok, data: { added: added?.path ?? null, name, signIn: signIn.data }, text };
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
