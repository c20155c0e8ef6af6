import type { OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import type { AuthContext } from "../auth-context.ts";
import { signInLifetimeMs } from "../connection-auth.ts";
import type { TokenIssuer } from "../tokens/token-request.ts";
import { canonicalUri } from "./credential-path.ts";
import type { Credentials, StoredTokens } from "./credentials.ts";

/** Who issued the stored tokens. */
export function issuerOfTokens(kept: Credentials | undefined): TokenIssuer | undefined {
  const tokenIssuer = kept?.discovery;
  return tokenIssuer?.server.issuer === kept?.tokens?.issuer ? tokenIssuer : undefined;
}

/** The record to write into, without sign-ins that were not finished in time. */
export function prunedRecord({ server, url, now }: AuthContext, kept: Credentials | undefined): Credentials {
  const { pending, ...rest } = kept ?? { server, resource: canonicalUri(url), clients: {} };
  const waiting = Object.entries(pending ?? {}).filter(([, { startedAt }]) => now() - startedAt < signInLifetimeMs);
  return { ...rest, ...(waiting.length > 0 && { pending: Object.fromEntries(waiting) }) };
}

/** The stored record; removes sign-ins that were not finished in time from the file, too. */
export async function readPruned(context: AuthContext): Promise<Credentials | undefined> {
  const kept = await context.file.read();
  const count = (record: Credentials | undefined) => Object.keys(record?.pending ?? {}).length;
  if (kept === undefined || count(prunedRecord(context, kept)) === count(kept)) return kept;
  return context.file.change((now) => now && dropIfEmpty(prunedRecord(context, now)));
}

/** The result of a sign-in: the tokens, who issued them, and to which client. */
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

export function withoutPending(record: Credentials, state: string): Credentials | undefined {
  const { pending = {}, ...rest } = record;
  const { [state]: _, ...others } = pending;
  return dropIfEmpty({ ...rest, ...(Object.keys(others).length > 0 && { pending: others }) });
}

/** Undefined if nothing in the record is worth keeping. */
export function dropIfEmpty(record: Credentials): Credentials | undefined {
  const isEmpty = record.tokens === undefined && record.issuer === undefined && record.pending === undefined;
  return isEmpty ? undefined : record;
}
