import { Fault, toFault } from "../../core/fault.ts";
import { quoted } from "../../core/peer-text.ts";
import { escapeDollars } from "../../sources/servers/import/dialects.ts";
import { addressOf } from "../../sources/servers/server-status.ts";
import type { ConfigPlace } from "../control/hub-control.ts";
import { type ConnectTarget, parseConnectTarget, suggestName } from "./connect-target.ts";
import { runTools, statusText } from "./servers.ts";
import type { VerbContext, VerbResult } from "./verb.ts";

/** Writes servers into a configuration file, where the person may do that. */
export interface ConfigEditor {
  /** Faults where the server can't be connected as it would be written down. Writes nothing. */
  check(place: ConfigPlace, name: string, settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** The file may not exist yet. What is returned takes it out again. */
  add(place: ConfigPlace, name: string, settings: Readonly<Record<string, unknown>>): Promise<() => Promise<void>>;
  remove(place: ConfigPlace, name: string): Promise<void>;
}

export interface ConnectRequest {
  /** The name of a configured server, an address, or a command. */
  readonly words: readonly string[];
  readonly name?: string | undefined;
  /** More for the configuration, as it is written there: `$NAME` stands for the environment's. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Writes it down without trying it. */
  readonly force?: boolean | undefined;
}

/**
 * `connect …`: adds a server to the configuration unless it is there, connects it, and shows what it offers. What can't be
 * reached is not written down: it is a slip of the pen more often than not.
 */
export async function runConnect(
  context: VerbContext,
  editor: ConfigEditor,
  wish: ConnectRequest,
): Promise<VerbResult> {
  const known = await context.control.servers.list();
  const [first = "", ...more] = wish.words;
  if (more.length === 0 && known.some(({ name }) => name === first)) return connect(context, first);

  const target = parseConnectTarget(wish.words);
  const same = known.find(({ address }) => address === addressOfTarget(target));
  if (same !== undefined && wish.name === undefined) return connect(context, same.name);
  const names = new Set(known.map(({ name }) => name));
  const name = wish.name ?? suggestName(target, names);
  requireName(name, names);
  const place = await context.control.configuration.place();
  const settings = { ...settingsOf(target), ...wish.settings };
  if (wish.force !== true) {
    const slip =
      more.length === 0 && /^[\w.-]+$/.test(first)
        ? `No server is called ${first}, either; ${context.prefix} servers lists them. `
        : "";
    await check(context, editor, place, name, settings, slip);
  }
  const undo = await editor.add(place, name, settings);
  try {
    await context.control.configuration.reload();
  } catch (error) {
    // Left as it is, it would keep every other change of the file from counting.
    await undo();
    throw error;
  }
  return connect(context, name, place);
}

async function check(
  { prefix }: VerbContext,
  editor: ConfigEditor,
  place: ConfigPlace,
  name: string,
  settings: Readonly<Record<string, unknown>>,
  slip: string,
): Promise<void> {
  try {
    await editor.check(place, name, settings);
  } catch (error) {
    const { code, message, detail } = toFault(error);
    if (code === "config" || code === "cancelled") throw error;
    const hint = `${slip}It was not added to ${place.path}; "${prefix} connect --force …" adds it untried.`;
    throw new Fault(code, `${message.trimEnd()} ${hint}`, { cause: error, detail });
  }
}

/** Once it is in the configuration it stays there, whatever comes of the first attempt. */
async function connect(context: VerbContext, name: string, added?: ConfigPlace): Promise<VerbResult> {
  const head = added === undefined ? [] : [`Added ${name} to ${added.path}.`];
  try {
    const server = await context.control.servers.connect(name);
    const tools = await runTools(context, name);
    const text = [...head, statusText(server, context), "", tools.text].join("\n");
    return { ok: true, data: { server, added: added?.path ?? null, ...(tools.data as object) }, text };
  } catch (error) {
    if (added === undefined) throw error;
    const { code, message } = toFault(error);
    const text = `${head.join("")} It can't be connected yet: ${message}`;
    return { ok: false, data: { added: added.path, name, error: { code, message } }, text };
  }
}

function settingsOf(target: ConnectTarget): Record<string, unknown> {
  if ("url" in target) return { url: escapeDollars(target.url) };
  const { command, args } = target;
  return { command: escapeDollars(command), ...(args.length > 0 && { args: args.map(escapeDollars) }) };
}

/**
 * Nothing for an address with a query or a command with a key: two that differ in that alone are two servers, and it is
 * never shown.
 */
function addressOfTarget(target: ConnectTarget): string | undefined {
  if ("url" in target) {
    const url = new URL(target.url);
    return url.search === "" ? addressOf({ url }) : undefined;
  }
  const address = addressOf(target);
  return address === `stdio://${[target.command, ...target.args].join(" ")}` ? address : undefined;
}

function requireName(name: string, taken: ReadonlySet<string>): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name))
    throw new Fault("usage", `${quoted(name, 80)} can't be a server's name: letters, digits, _ . and -`);
  if (taken.has(name))
    throw new Fault("conflict", `There is a server ${name} already. Choose another name with --name.`);
}
