import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { stat } from "node:fs/promises";
import type { ResolvedSecrets } from "../../../core/config/parse-config.ts";
import { Fault, messageOf } from "../../../core/fault.ts";
import { readRegularFileNow } from "../../../core/files/read-regular-file.ts";
import type { Env } from "../../../core/process/child-env.ts";
import { runCommand } from "../../../core/process/run-command.ts";
import { shellWord } from "../../../core/text/shell-word.ts";
import { openSecretStore, secretsFile } from "./secret-store.ts";

export interface ResolveOptions {
  /** The state folder. */
  readonly home: string;
  readonly env: Env;
  /** Whether `cmd:` may be used: only in the owner's own configuration. */
  readonly mayRunCommands: boolean;
}

const maxFileBytes = 65_536;
const commandMs = 60_000;

/** Looks up each of the secrets. Why one can't be had is a part of a sentence, and never has a value in it. */
export async function resolveSecrets(references: readonly string[], options: ResolveOptions): Promise<ResolvedSecrets> {
  const values = new Map<string, string>();
  const problems = new Map<string, string>();
  await Promise.all(
    references.map(async (reference) => {
      try {
        values.set(reference, await resolveOne(reference, options));
      } catch (error) {
        problems.set(reference, messageOf(error).replace(/\.$/, ""));
      }
    }),
  );
  return { values, problems };
}

/** The files that the secrets come from: if one changes, they have to be looked up again. */
export function filesOfSecrets(references: readonly string[], home: string): readonly string[] {
  const files = references.flatMap((reference) =>
    reference.startsWith("file:") ? [pathOf(reference.slice("file:".length))] : [],
  );
  return references.some((reference) => reference.startsWith("keychain:"))
    ? [join(home, secretsFile), ...files]
    : files;
}

async function resolveOne(reference: string, options: ResolveOptions): Promise<string> {
  const [, kind = "", rest = ""] = /^(keychain|file|cmd|op):(.*)$/s.exec(reference) ?? [];
  switch (kind) {
    case "keychain":
      return fromStore(rest, options);
    case "file":
      return fromFile(pathOf(rest));
    case "op":
      return fromCommand(["op", "read", "--no-newline", reference], options.env);
    default:
      if (!options.mayRunCommands) throw new Fault("denied", "only your own configuration may run commands");
      return fromCommand(["/bin/sh", "-c", rest], options.env);
  }
}

async function fromStore(name: string, { home, env }: ResolveOptions): Promise<string> {
  const found = await openSecretStore({ home, env }).get(name);
  if (found === undefined) throw new Fault("not-found", `it is not set; run \`clawport secret set ${name}\``);
  return found;
}

function pathOf(text: string): string {
  return text.replace(/^~(?=\/)/, () => homedir());
}

/** As ssh does: a file that others can read holds no secret. */
async function fromFile(path: string): Promise<string> {
  if (!isAbsolute(path)) throw new Fault("config", "the path must begin with / or ~/");
  const { uid, mode } = await stat(path).catch(() => {
    throw new Fault("not-found", "the file does not exist");
  });
  if (process.platform !== "win32" && ((mode & 0o077) !== 0 || (uid !== 0 && uid !== process.getuid?.())))
    throw new Fault("denied", `others can read the file; run \`chmod 600 ${shellWord(path)}\``);
  const text = readRegularFileNow(path, maxFileBytes).replace(/\r?\n$/, "");
  if (text === "") throw new Fault("config", "the file is empty");
  return text;
}

const running = new Map<string, Promise<string>>();

/** Once in a process: such commands may ask the user for a password. */
function fromCommand([command = "", ...args]: readonly string[], env: Env): Promise<string> {
  const key = JSON.stringify([command, ...args]);
  const found = running.get(key) ?? run(command, args, env);
  running.set(key, found);
  found.catch(() => running.delete(key));
  return found;
}

async function run(command: string, args: readonly string[], env: Env): Promise<string> {
  const own = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && /^(?:OP_|DBUS_SESSION_BUS_ADDRESS$|XDG_)/.test(name) ? [[name, value] as const] : [],
  );
  const signal = AbortSignal.timeout(commandMs);
  const limits = { env, signal, timeoutMs: commandMs, maxOutputBytes: maxFileBytes, isStderrSecret: true };
  const program = { command, args, env: Object.fromEntries(own), pidNamespace: "off" as const };
  const text = (await runCommand(program, limits)).toString("utf8").replace(/\r?\n$/, "");
  if (text === "") throw new Fault("unavailable", "the command printed nothing");
  return text;
}
