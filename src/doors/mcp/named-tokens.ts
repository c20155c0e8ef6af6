import { Fault } from "../../core/fault.ts";
import { openStateFile, type StateFile } from "../../core/files/state-file.ts";
import { silentLog } from "../../core/log.ts";
import { hashToken } from "../../core/secrets/crypto.ts";
import type { Secret } from "../../core/secrets/secret.ts";
import { createToken, type TokenLocation } from "./main-token.ts";

/** A token for one client. Only its hash is kept: what a file can't tell, nobody can read from it. */
interface NamedToken {
  readonly hash: string;
  /** The one view it opens; without one it opens all. */
  readonly view?: string;
  /** When it was made, in ISO 8601. */
  readonly created: string;
}

export type NamedTokens = Readonly<Record<string, NamedToken>>;

export function namedTokensPath({ home }: TokenLocation): string {
  return home.file("tokens.json");
}

/** The token is given this once. */
export async function addNamedToken(
  place: TokenLocation,
  name: string,
  view?: string,
  now = new Date(),
): Promise<Secret> {
  if (!/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(name) || name === "main") {
    const message = `${JSON.stringify(name.slice(0, 80))} can't be the name of a token. Take letters, digits, "-", "_" and ".", beginning with a letter; "main" is taken.`;
    throw new Fault("usage", message);
  }
  const token = createToken();
  const entry = {
    hash: hashToken(token.reveal()),
    created: now.toISOString(),
    ...(view === undefined ? {} : { view }),
  };
  await openFile(place).update((tokens) => {
    if (Object.hasOwn(tokens, name)) {
      const message = `There is a token named ${name} already. Choose another name, or first: clawport token remove ${name}`;
      throw new Fault("conflict", message);
    }
    return { ...tokens, [name]: entry };
  });
  return token;
}

export async function listNamedTokens(place: TokenLocation): Promise<NamedTokens> {
  return openFile(place).read();
}

export async function removeNamedToken(place: TokenLocation, name: string): Promise<void> {
  if (name === "main") {
    const message =
      "The main token can't be removed. A new one, after which the old one opens nothing, is made with: clawport token reset";
    throw new Fault("usage", message);
  }
  await openFile(place).update((tokens) => {
    if (!Object.hasOwn(tokens, name)) {
      throw new Fault(
        "not-found",
        `There is no token named ${JSON.stringify(name.slice(0, 80))}. See: clawport token list`,
      );
    }
    return Object.fromEntries(Object.entries(tokens).filter(([known]) => known !== name));
  });
}

export function parseNamedTokens(value: unknown): NamedTokens {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("no list of tokens");
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, parseNamedToken(entry)]));
}

function parseNamedToken(entry: unknown): NamedToken {
  if (typeof entry !== "object" || entry === null) throw new Error("no token");
  const { hash, view, created } = entry as Partial<Record<keyof NamedToken, unknown>>;
  if (typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash)) throw new Error("a token without a hash");
  if (typeof created !== "string") throw new Error("a token without a date");
  // Taking a damaged view for none would open more than was meant.
  if (view !== undefined && typeof view !== "string") throw new Error("a token whose view is no name");
  return { hash, created, ...(view === undefined ? {} : { view }) };
}

function openFile(place: TokenLocation): StateFile<NamedTokens> {
  const { log = silentLog } = place;
  return openStateFile<NamedTokens>({ path: namedTokensPath(place), parse: parseNamedTokens, empty: {}, log });
}
