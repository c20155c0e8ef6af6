import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { readRegularFile } from "../../core/files/read-regular-file.ts";
import { writeFileAtomic } from "../../core/files/write-file-atomic.ts";
import { isRecord } from "../../core/is-record.ts";
import { hashToken, isSameSecret } from "../../core/secrets/crypto.ts";
import { deriveKey, macOf } from "./proof-keys.ts";
import { linkKeyInfo, signInText } from "./signed-texts.ts";

/** A link that opens the console once. */
export interface SignInLink {
  readonly url: string;
  readonly expiresAt: string;
  readonly terminal: boolean;
}

/** The running hub, as its record says. */
export interface LinkedHub {
  /** `http://127.0.0.1:8765`. */
  readonly address: string;
  readonly pid: number;
  readonly processStart: string;
}

export interface SignInLinkOptions {
  readonly home: Pick<Home, "file">;
  /** The only one that takes the link: after it was killed, the next one does not. */
  readonly hub: LinkedHub;
  /** Whether a person at a terminal asked for it: only then may its session change anything. */
  readonly terminal: boolean;
  /** The page of the console that it opens: `approvals/12`. */
  readonly page?: string | undefined;
  readonly now?: number;
}

const validMs = 5 * 60_000;
const largestFile = 4096;

/**
 * Making a link takes write access to the state folder: a token does not do. The code is for the hub, which finds the
 * file by its hash; the secret after `#` never leaves the browser, which proves with it that it has it.
 */
export async function createSignInLink({
  home,
  hub,
  terminal,
  page = "",
  now = Date.now(),
}: SignInLinkOptions): Promise<SignInLink> {
  const [code, secret] = [createSecret(), createSecret()];
  const folder = linkFolder(home);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeOld(folder, now);
  const expires = now + validMs;
  const content = { secret: hashToken(secret), expires, terminal, hub: hubName(hub) };
  await writeFileAtomic(join(folder, `${hashToken(code)}.json`), `${JSON.stringify(content)}\n`);
  const url = `${hub.address}/console/login/${code}#${secret}${page === "" ? "" : `.${page}`}`;
  return { url, expiresAt: new Date(expires).toISOString(), terminal };
}

function hubName({ address, pid, processStart }: LinkedHub): string {
  return `${pid} ${processStart} ${new URL(address).port}`;
}

/** 32 random bytes. */
export function createSecret(): string {
  return randomBytes(32).toString("base64url");
}

export interface TakenLink {
  /** The hash of the secret that the browser has: what both sides make their keys of. */
  readonly secret: string;
  readonly terminal: boolean;
}

/** What the page sends to sign in: the proof is made with the secret. */
export interface SignInProof {
  readonly code: string;
  readonly nonce: string;
  readonly proof: string;
}

/** Uses up a link. Undefined if there is none for this code and this hub, it is too old, or the proof is wrong. */
export async function takeSignInLink(
  home: Pick<Home, "file">,
  hub: LinkedHub,
  { code, nonce, proof }: SignInProof,
  now = Date.now(),
): Promise<TakenLink | undefined> {
  if (!/^[\w-]{43}$/.test(code)) return undefined;
  const path = join(linkFolder(home), `${hashToken(code)}.json`);
  const text = await readRegularFile(path, largestFile).catch(ignoreMissing);
  const link = text === undefined ? undefined : parseLink(text);
  if (link === undefined || now >= link.expires || link.hub !== hubName(hub)) return undefined;
  // Without the secret a link can't be used up, either.
  if (!isSameSecret(proof, macOf(deriveKey(link.secret, code, linkKeyInfo), signInText(code, nonce)))) return undefined;
  // Of two requests at the same moment, one removes the file; the other finds it gone.
  const isOurs = await unlink(path).then(
    () => true,
    (error: unknown) => {
      ignoreMissing(error);
      return false;
    },
  );
  return isOurs ? link : undefined;
}

function linkFolder(home: Pick<Home, "file">): string {
  return home.file("console", "links");
}

interface KeptLink extends TakenLink {
  readonly expires: number;
  /** Earlier versions wrote none. */
  readonly hub: string | undefined;
}

function parseLink(text: string): KeptLink | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { secret, expires, terminal, hub } = value;
  if (typeof secret !== "string" || !/^[0-9a-f]{64}$/.test(secret) || typeof expires !== "number") return undefined;
  return { secret, expires, terminal: terminal === true, hub: typeof hub === "string" ? hub : undefined };
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
