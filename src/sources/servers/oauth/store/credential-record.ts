import type { OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import type { AuthContext } from "../auth-context.ts";
import type { TokenIssuer } from "../tokens/token-request.ts";
import { canonicalUri } from "./credential-path.ts";
import type { Credentials, StoredTokens } from "./credentials.ts";

/** How long a sign-in may wait for its callback. */
const pendingLifetimeMs = 10 * 60_000;

/** Where the kept tokens came from. */
export function issuerOfTokens(kept: Credentials | undefined): TokenIssuer | undefined {
  const tokenIssuer = kept?.discovery;
  return tokenIssuer?.server.issuer === kept?.tokens?.issuer ? tokenIssuer : undefined;
}

/** The record to write into, without sign-ins that nobody finished in time. */
export function prunedRecord({ server, url, now }: AuthContext, kept: Credentials | undefined): Credentials {
  const { pending, ...rest } = kept ?? { server, resource: canonicalUri(url), clients: {} };
  const waiting = Object.entries(pending ?? {}).filter(([, { startedAt }]) => now() - startedAt < pendingLifetimeMs);
  return { ...rest, ...(waiting.length > 0 && { pending: Object.fromEntries(waiting) }) };
}

/** What is kept, after those sign-ins were taken out of the file, too. */
export async function readPruned(context: AuthContext): Promise<Credentials | undefined> {
  const kept = await context.file.read();
  const count = (record: Credentials | undefined) => Object.keys(record?.pending ?? {}).length;
  if (kept === undefined || count(prunedRecord(context, kept)) === count(kept)) return kept;
  return context.file.change((now) => now && dropIfEmpty(prunedRecord(context, now)));
}

/** What a sign-in brings, all of it at once: tokens, who issued them, as whom, and what for. */
export interface SignInResult {
  readonly tokenIssuer: TokenIssuer;
  readonly client: OAuthClientInformationMixed;
  readonly tokens: StoredTokens;
  readonly dpopKey?: unknown;
}

export function withSignIn(record: Credentials, { tokenIssuer, client, tokens, dpopKey }: SignInResult): Credentials {
  const { dpopKey: _, ...rest } = record;
  return {
    ...rest,
    issuer: tokenIssuer.server.issuer,
    discovery: tokenIssuer,
    clients: { ...record.clients, [tokenIssuer.server.issuer]: client },
    tokens,
    signedInAt: tokens.receivedAt,
    ...(dpopKey !== undefined && { dpopKey }),
  };
}

/** Nothing where nothing is worth keeping. */
export function dropIfEmpty(record: Credentials): Credentials | undefined {
  const isEmpty = record.tokens === undefined && record.issuer === undefined && record.pending === undefined;
  return isEmpty ? undefined : record;
}
