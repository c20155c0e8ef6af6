import { signal } from "@preact/signals";
import {
  linkKeyInfo,
  sessionKeyInfo,
  sessionSalt,
  signedInText,
  signInText,
} from "../../../src/doors/console/signed-texts.ts";
import { forget, keep, type KeptSession, readKept } from "./key-store.ts";

/**
 * How this page stands with the hub. `unproven`: what answers at this address did not prove that it is the hub of the
 * session. It may be another program, so the page sends nothing more.
 */
export type Standing = "opening" | "signed-in" | "refused-link" | "signed-out" | "unproven";

export const standing = signal<Standing>("opening");

const link = takeLink();
/** Undefined if this browser is not signed in. */
export const session: Promise<KeptSession | undefined> = openSession();

/** The session is over, for this tab and the next load. */
export async function leave(how: "signed-out" | "unproven"): Promise<void> {
  standing.value = how;
  const left = await session;
  if (left !== undefined) await forget(left.id);
}

export async function sign(key: CryptoKey, text: string): Promise<string> {
  return base64url(await crypto.subtle.sign("HMAC", key, bytesOf(text)));
}

export async function hashOf(text: string): Promise<string> {
  return base64url(await crypto.subtle.digest("SHA-256", bytesOf(text)));
}

/** For what must not have been used before: 16 bytes. */
export function createNonce(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(16)).buffer);
}

/** The secret is in the fragment, which no server sees; a page of the console may follow it. Both are removed from the address at once. */
function takeLink(): { readonly code: string; readonly secret: string } | undefined {
  const [, code] = /^\/console\/login\/([\w-]+)$/.exec(location.pathname) ?? [];
  const [, secret = "", page = ""] = /^#([\w-]*)(?:\.([\w-]+(?:\/[\w-]+)*))?$/.exec(location.hash) ?? [];
  if (code === undefined) return undefined;
  history.replaceState(null, "", `/console/${page}`);
  return { code, secret };
}

async function openSession(): Promise<KeptSession | undefined> {
  // Earlier versions kept a secret there.
  localStorage.removeItem("clawport-console");
  const opened = link === undefined ? await readKept() : await signIn(link.code, link.secret);
  if (opened !== undefined) standing.value = "signed-in";
  else if (standing.value === "opening") standing.value = "signed-out";
  return opened;
}

async function signIn(code: string, secret: string): Promise<KeptSession | undefined> {
  const base = await crypto.subtle.importKey("raw", bytesOf(await hexHashOf(secret)), "HKDF", false, ["deriveKey"]);
  const nonce = createNonce();
  const proof = await sign(await deriveKey(base, code, linkKeyInfo), signInText(code, nonce));
  const begun = await sendSignIn({ code, nonce, proof });
  if (begun === undefined) {
    standing.value = "refused-link";
    return undefined;
  }
  const key = await deriveKey(base, sessionSalt(nonce, begun.session), sessionKeyInfo);
  if ((await sign(key, signedInText(begun.session))) !== begun.proof) {
    standing.value = "unproven";
    return undefined;
  }
  const opened = { id: begun.session, key };
  await keep(opened);
  return opened;
}

async function sendSignIn(body: object): Promise<{ readonly session: string; readonly proof: string } | undefined> {
  try {
    const headers = { "content-type": "application/json" };
    const response = await fetch("/console/api/signIn", { method: "POST", headers, body: JSON.stringify(body) });
    const { result } = (await response.json()) as { readonly result?: { session?: unknown; proof?: unknown } };
    return result === undefined ? undefined : { session: String(result.session), proof: String(result.proof) };
  } catch {
    return undefined;
  }
}

/** Not extractable: no script can read its bytes, that of a false page at this address included. */
function deriveKey(base: CryptoKey, salt: string, info: string): Promise<CryptoKey> {
  const how = { name: "HKDF", hash: "SHA-256", salt: bytesOf(salt), info: bytesOf(info) };
  return crypto.subtle.deriveKey(how, base, { name: "HMAC", hash: "SHA-256", length: 256 }, false, ["sign"]);
}

async function hexHashOf(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(text)));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function base64url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
