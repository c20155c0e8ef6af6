import type { TokenView } from "../../catalog/caller.ts";
import { Fault } from "../../core/fault.ts";
import { openStateFile, type StateFile } from "../../core/files/state-file.ts";
import { silentLog } from "../../core/log.ts";
import { hashToken } from "../../core/secrets/crypto.ts";
import type { Secret } from "../../core/secrets/secret.ts";
import { mainTokenName } from "./gate.ts";
import { createToken, type TokenLocation } from "./main-token.ts";
import { isSurfaceSetting, type SurfaceSetting } from "./surface/choose-surface.ts";

/** A token for one client. Only its hash is stored, so the file can't leak the token. */
interface NamedToken {
  readonly hash: string;
  /** What it is limited to; without one it gives access to everything. */
  readonly view?: TokenView;
  readonly surface?: SurfaceSetting;
  /** It gives access to the metrics only. */
  readonly metrics?: true;
  /** When it was created, in ISO 8601. */
  readonly created: string;
}

export type NamedTokens = Readonly<Record<string, NamedToken>>;

export function namedTokensPath({ home }: TokenLocation): string {
  return home.file("tokens.json");
}

export interface NewTokenOptions {
  readonly view?: TokenView | undefined;
  readonly surface?: SurfaceSetting | undefined;
  readonly metrics?: boolean | undefined;
  readonly now?: Date;
}

/** Returns the token, which can't be shown again. */
export async function addNamedToken(
  location: TokenLocation,
  name: string,
  { view, surface, metrics, now = new Date() }: NewTokenOptions = {},
): Promise<Secret> {
  if (!/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(name) || name === mainTokenName) {
    const message = `${JSON.stringify(name.slice(0, 80))} is not a valid token name. Use letters, digits, "-", "_" and ".", starting with a letter; "main" is reserved.`;
    throw new Fault("usage", message);
  }
  if (metrics && view !== undefined) {
    throw new Fault("usage", "A token for the metrics gives access to nothing else: leave out `--view`.");
  }
  if (surface !== undefined && (metrics || typeof view === "string")) {
    const message = metrics
      ? "A token for the metrics gives access to no tools: leave out `--surface`."
      : "A token for one source always gets its own tools: leave out `--surface`.";
    throw new Fault("usage", message);
  }
  const token = createToken();
  const entry: NamedToken = {
    hash: hashToken(token.reveal()),
    created: now.toISOString(),
    ...(view === undefined ? {} : { view }),
    ...(surface === undefined ? {} : { surface }),
    ...(metrics ? { metrics } : {}),
  };
  await openFile(location).update((tokens) => {
    if (Object.hasOwn(tokens, name)) {
      const message = `There is already a token named ${name}. Choose another name, or run \`clawport token remove ${name}\` first.`;
      throw new Fault("conflict", message);
    }
    return { ...tokens, [name]: entry };
  });
  return token;
}

export async function listNamedTokens(location: TokenLocation): Promise<NamedTokens> {
  return openFile(location).read();
}

export async function removeNamedToken(location: TokenLocation, name: string): Promise<void> {
  if (name === mainTokenName) {
    const message =
      "The main token can't be removed. Run `clawport token reset` to replace it; the old token then stops working.";
    throw new Fault("usage", message);
  }
  await openFile(location).update((tokens) => {
    if (!Object.hasOwn(tokens, name)) {
      throw new Fault(
        "not-found",
        `There is no token named ${JSON.stringify(name.slice(0, 80))}. Run \`clawport token list\` to list the tokens.`,
      );
    }
    return Object.fromEntries(Object.entries(tokens).filter(([known]) => known !== name));
  });
}

export function parseNamedTokens(value: unknown): NamedTokens {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("not a list of tokens");
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, parseNamedToken(entry)]));
}

function parseNamedToken(entry: unknown): NamedToken {
  if (typeof entry !== "object" || entry === null) throw new Error("not a token");
  const { hash, view, surface, metrics, created } = entry as Partial<Record<keyof NamedToken, unknown>>;
  if (typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash)) throw new Error("a token without a hash");
  if (typeof created !== "string") throw new Error("a token without a date");
  // Treating a damaged view as none would give access to more than intended.
  if (view !== undefined && !isTokenView(view)) throw new Error("a token whose view is not a name or several");
  if (metrics !== undefined && metrics !== true) throw new Error("a token whose right to the metrics is not true");
  return {
    hash,
    created,
    ...(view === undefined ? {} : { view }),
    // Not a right: a value from a later version is as good as none.
    ...(isSurfaceSetting(surface) ? { surface } : {}),
    ...(metrics ? { metrics } : {}),
  };
}

function isTokenView(view: unknown): view is TokenView {
  if (typeof view === "string") return true;
  return Array.isArray(view) && view.length > 0 && view.every((source) => typeof source === "string");
}

function openFile(location: TokenLocation): StateFile<NamedTokens> {
  const { log = silentLog } = location;
  return openStateFile<NamedTokens>({ path: namedTokensPath(location), parse: parseNamedTokens, empty: {}, log });
}
