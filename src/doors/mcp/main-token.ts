import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf, Fault, messageOf } from "../../core/fault.ts";
import { withFileLock } from "../../core/files/file-lock.ts";
import { writeFileAtomic } from "../../core/files/write-file-atomic.ts";
import { writeWhenRoom } from "../../core/files/write-when-room.ts";
import { type Log, silentLog } from "../../core/log.ts";
import type { Env } from "../../core/process/child-env.ts";
import { Secret } from "../../core/secrets/secret.ts";

/** Where tokens are stored, and the log for what happens to them. */
export interface TokenLocation {
  readonly home: { file(...parts: string[]): string };
  readonly env?: Env;
  readonly log?: Log;
}

const shortToken = 32;

/** The tray's variable moves only the token file, so that the tray's clients find it. */
export function mainTokenPath({ home, env }: TokenLocation): string {
  const folder = env?.["OPENCLAW_TRAY_DATA_DIR"];
  return folder ? join(folder, "mcp-token.txt") : home.file("mcp-token.txt");
}

/** 32 random bytes in base64url: 43 characters. */
export function createToken(): Secret {
  return new Secret(randomBytes(32).toString("base64url"));
}

/** The token in the file. A missing or empty file gets a new token first. */
export async function ensureMainToken(location: TokenLocation): Promise<Secret> {
  const { log = silentLog } = location;
  const path = mainTokenPath(location);
  const found = readMainToken(path, log);
  if (found !== undefined) return found;
  return withFileLock(`${path}.lock`, { log }, async () => readMainToken(path, log) ?? writeMainToken(path));
}

/**
 * A token in a file that only the hub makes, which holds the lock of the state folder. On a full disk it counts at once, and is
 * saved once there is space: `use` says what has to wait for that.
 */
export async function makeHubToken(path: string, use: string, log: Log): Promise<Secret> {
  const token = createToken();
  if (!(await writeWhenRoom(path, `${token.reveal()}\n`)))
    log.warn(`the disk is full: ${use} once there is space for this file`, { path });
  return token;
}

/** Replaces the token, whatever the file held. Running hubs use the new one without a restart. */
export async function resetMainToken(location: TokenLocation): Promise<Secret> {
  const path = mainTokenPath(location);
  return withFileLock(`${path}.lock`, { log: location.log ?? silentLog }, () => writeMainToken(path));
}

/**
 * Undefined if the file is missing or empty. Faults if it can't be read: treating it as missing would replace a token
 * that clients use.
 */
export function readMainToken(path: string, log: Log): Secret | undefined {
  const text = readText(path)?.trim();
  if (text === undefined || text === "") return undefined;
  if (!/^[!-~]+$/.test(text)) {
    const message = `${path} does not hold a single token. Correct the file, or run \`clawport token reset\` to create a new token.`;
    throw new Fault("corrupt", message);
  }
  if (text.length < shortToken)
    log.warn("the token is short enough to guess; run `clawport token reset` to replace it", { path });
  restrictToOwner(path, log);
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

function restrictToOwner(path: string, log: Log): void {
  if (process.platform === "win32" || (statSync(path).mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
    log.warn(
      "other users could read the token file until now; run `clawport token reset` if one of them may have done so",
      {
        path,
      },
    );
  } catch (error) {
    log.warn("other users can read the token file; could not change its permissions", { path, error });
  }
}
