import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf, Fault, messageOf } from "../../core/fault.ts";
import { withFileLock } from "../../core/files/file-lock.ts";
import { writeFileAtomic } from "../../core/files/write-file-atomic.ts";
import { type Log, silentLog } from "../../core/log.ts";
import type { Env } from "../../core/process/child-env.ts";
import { Secret } from "../../core/secrets/secret.ts";

/** Where tokens are kept, and where what happens to them is told. */
export interface TokenLocation {
  readonly home: { file(...parts: string[]): string };
  readonly env?: Env;
  readonly log?: Log;
}

const shortToken = 32;

/** The tray's variable moves the token file alone, so that a client that knows it finds the token where it looks. */
export function mainTokenPath({ home, env }: TokenLocation): string {
  const folder = env?.["OPENCLAW_TRAY_DATA_DIR"];
  return folder ? join(folder, "mcp-token.txt") : home.file("mcp-token.txt");
}

/** 32 random bytes in base64url: 43 characters. */
export function createToken(): Secret {
  return new Secret(randomBytes(32).toString("base64url"));
}

/** The token of the file; a file that is missing or empty gets a new one first. */
export async function ensureMainToken(place: TokenLocation): Promise<Secret> {
  const path = mainTokenPath(place);
  const { log = silentLog } = place;
  const found = readMainToken(path, log);
  if (found !== undefined) return found;
  return withFileLock(`${path}.lock`, { log }, async () => readMainToken(path, log) ?? writeMainToken(path));
}

/** A new token at once, in place of whatever the file held. Running hubs take it up without a restart. */
export async function resetMainToken(place: TokenLocation): Promise<Secret> {
  const path = mainTokenPath(place);
  return withFileLock(`${path}.lock`, { log: place.log ?? silentLog }, () => writeMainToken(path));
}

/**
 * Undefined when the file is missing or empty. One that can't be read faults: taking it for missing would replace a
 * token that clients hold.
 */
export function readMainToken(path: string, log: Log): Secret | undefined {
  const text = readText(path)?.trim();
  if (text === undefined || text === "") return undefined;
  if (!/^[!-~]+$/.test(text)) {
    const message = `${path} holds something other than one token. Mend it, or make a new one: clawport token reset`;
    throw new Fault("corrupt", message);
  }
  if (text.length < shortToken) log.warn("the token is short enough to be guessed; `clawport token reset`", { path });
  closeToOthers(path, log);
  return new Secret(text);
}

async function writeMainToken(path: string): Promise<Secret> {
  const token = createToken();
  await writeFileAtomic(path, `${token.reveal()}\n`, { mode: 0o600 });
  return token;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    const message = `Could not read the token file ${path}: ${messageOf(error)}. Give yourself access to it (chmod 600), or remove it to get a new token.`;
    throw new Fault("io", message, { cause: error });
  }
}

function closeToOthers(path: string, log: Log): void {
  if (process.platform === "win32" || (statSync(path).mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
    log.warn("others could read the token file; it is closed to them now, `clawport token reset` makes a new one", {
      path,
    });
  } catch (error) {
    log.warn("others can read the token file, and that could not be changed", { path, error });
  }
}
