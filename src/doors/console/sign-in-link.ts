import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { readRegularFile } from "../../core/files/read-regular-file.ts";
import { writeFileAtomic } from "../../core/files/write-file-atomic.ts";
import { isRecord } from "../../core/is-record.ts";
import { hashToken } from "../../core/secrets/crypto.ts";

/** A link that opens the console once. */
export interface SignInLink {
  readonly url: string;
  readonly expiresAt: string;
  readonly terminal: boolean;
}

export interface LinkOptions {
  readonly home: Pick<Home, "file">;
  /** Of the running hub: `http://127.0.0.1:8765`. */
  readonly address: string;
  /** Whether a person at a terminal asked for it: only then may its session change anything. */
  readonly terminal: boolean;
  readonly now?: number;
}

const validMs = 5 * 60_000;
const largestFile = 4096;

/**
 * Making a link takes write access to the state folder: a token does not do. The code is for the hub, which finds the
 * file by its hash; the secret after `#` never leaves the browser.
 */
export async function createSignInLink({
  home,
  address,
  terminal,
  now = Date.now(),
}: LinkOptions): Promise<SignInLink> {
  const [code, secret] = [createSecret(), createSecret()];
  const folder = linkFolder(home);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeOld(folder, now);
  const expires = now + validMs;
  const content = { secret: hashToken(secret), expires, terminal };
  await writeFileAtomic(join(folder, `${hashToken(code)}.json`), `${JSON.stringify(content)}\n`);
  const url = `${address}/console/login/${code}#${secret}`;
  return { url, expiresAt: new Date(expires).toISOString(), terminal };
}

/** 32 random bytes. */
export function createSecret(): string {
  return randomBytes(32).toString("base64url");
}

export interface TakenLink {
  /** The hash of the secret that the browser has. */
  readonly secret: string;
  readonly terminal: boolean;
}

/** Uses up a link. Undefined if there is none for this code, or it is too old. */
export async function takeSignInLink(
  home: Pick<Home, "file">,
  code: string,
  now = Date.now(),
): Promise<TakenLink | undefined> {
  if (!/^[\w-]{43}$/.test(code)) return undefined;
  const path = join(linkFolder(home), `${hashToken(code)}.json`);
  const text = await readRegularFile(path, largestFile).catch(ignoreMissing);
  if (text === undefined) return undefined;
  // Of two requests at the same moment, one removes the file; the other finds it gone.
  const isOurs = await unlink(path).then(
    () => true,
    (error: unknown) => {
      ignoreMissing(error);
      return false;
    },
  );
  const link = isOurs ? parseLink(text) : undefined;
  return link !== undefined && now < link.expires ? link : undefined;
}

function linkFolder(home: Pick<Home, "file">): string {
  return home.file("console", "links");
}

function parseLink(text: string): (TakenLink & { readonly expires: number }) | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { secret, expires, terminal } = value;
  if (typeof secret !== "string" || !/^[0-9a-f]{64}$/.test(secret) || typeof expires !== "number") return undefined;
  return { secret, expires, terminal: terminal === true };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function removeOld(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const link = parseLink((await readRegularFile(path, largestFile).catch(() => undefined)) ?? "");
    if (name.endsWith(".json") && (link === undefined || link.expires <= now)) await rm(path, { force: true });
  }
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) === "ENOENT") return undefined;
  throw error instanceof Fault ? error : new Fault("io", "The sign-in link could not be read.", { cause: error });
}
