import { chmod, readFile, rm } from "node:fs/promises";
import { codeOf, Fault, isFault, messageOf } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { stampFile } from "../../core/files/file-stamp.ts";
import { writeFileAtomic } from "../../core/files/write-file-atomic.ts";
import type { Log } from "../../core/log.ts";
import { hashToken } from "../../core/secrets/crypto.ts";
import { Secret } from "../../core/secrets/secret.ts";
import { addNamedToken, listNamedTokens, namedTokensPath, removeNamedToken } from "../../doors/mcp/named-tokens.ts";

export interface ClientTokenPlace {
  readonly home: Pick<Home, "file">;
  readonly log: Log;
}

/** Where the token of an installed client is kept, readable by its owner only. */
function clientTokenPath(home: Pick<Home, "file">, client: string): string {
  return home.file("clients", `${client}.token`);
}

/** The token that was made for this client; undefined if there is none. */
export async function readClientToken(home: Pick<Home, "file">, client: string): Promise<Secret | undefined> {
  const path = clientTokenPath(home, client);
  try {
    const text = (await readFile(path, "utf8")).trim();
    if (/^[\w-]{43}$/.test(text)) return new Secret(text);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new Fault("io", `Could not read ${path}: ${messageOf(error)}. Check its permissions.`, { cause: error });
  }
  throw new Fault("corrupt", `${path} does not hold a token. Remove it and run \`clawport install ${client}\` again.`);
}

/** Faults unless the client was installed and its token is still valid. */
export async function requireClientToken(place: ClientTokenPlace, client: string): Promise<Secret> {
  const token = /^[\w-]{1,64}$/.test(client) ? await readClientToken(place.home, client) : undefined;
  const { [client]: known } = await listNamedTokens(place);
  if (token !== undefined && known?.hash === hashToken(token.reveal())) return token;
  const message = `The client ${JSON.stringify(client.slice(0, 64))} has no valid token. Run \`clawport install ${client.slice(0, 64)}\` to make one.`;
  throw new Fault("unauthorized", message);
}

export interface ClientTokenWatch extends Disposable {
  /** Aborts within seconds after the token was removed or replaced, with a fault that says what to do. */
  readonly revoked: AbortSignal;
}

const checkEveryMs = 1000;

/** Looks at the file of the tokens from time to time: not every file system sends notices. */
export function watchClientToken(place: ClientTokenPlace, client: string): ClientTokenWatch {
  const revoked = new AbortController();
  const path = namedTokensPath(place);
  let seen: string | undefined;
  const timer = setInterval(() => void check(), checkEveryMs).unref();

  async function check(): Promise<void> {
    const stamp = await stampFile(path);
    if (stamp === seen || revoked.signal.aborted) return;
    seen = stamp;
    await requireClientToken(place, client).catch((error: unknown) => {
      if (isFault(error, "unauthorized")) revoked.abort(error);
      else seen = undefined;
    });
  }

  return { revoked: revoked.signal, [Symbol.dispose]: () => clearInterval(timer) };
}

/** Makes a token for this client unless it has a valid one. Returns whether one was made. */
export async function ensureClientToken({ home, log }: ClientTokenPlace, client: string): Promise<boolean> {
  const path = clientTokenPath(home, client);
  const [found, { [client]: known }] = await Promise.all([
    readClientToken(home, client).catch((error: unknown) => {
      if (!isFault(error, "corrupt")) throw error;
      return undefined;
    }),
    listNamedTokens({ home, log }),
  ]);
  if (found !== undefined && known !== undefined && hashToken(found.reveal()) === known.hash) {
    await chmod(path, 0o600);
    return false;
  }
  if (known !== undefined) {
    const message = `There is already a token named ${client}, for which Clawport has no file. Run \`clawport token remove ${client}\` first.`;
    throw new Fault("conflict", message);
  }
  const token = await addNamedToken({ home, log }, client);
  await writeFileAtomic(path, `${token.reveal()}\n`, { mode: 0o600 });
  return true;
}

/** Revokes the token that was made for this client. Returns false if there was none. */
export async function revokeClientToken({ home, log }: ClientTokenPlace, client: string): Promise<boolean> {
  const path = clientTokenPath(home, client);
  const found = await readClientToken(home, client).catch((error: unknown) => {
    if (!isFault(error, "corrupt")) throw error;
    return undefined;
  });
  const { [client]: known } = await listNamedTokens({ home, log });
  // A token of this name that someone else made stays.
  const isOurs = found !== undefined && known !== undefined && hashToken(found.reveal()) === known.hash;
  if (isOurs) await removeNamedToken({ home, log }, client);
  await rm(path, { force: true });
  return isOurs;
}
