import { Fault, isFault } from "../../../core/fault.ts";
import type { AuthContext } from "./auth-context.ts";
import { discoverAuthorizationServer } from "./authorization-server.ts";
import { clientOf, keptClient } from "./client-registration.ts";
import { openDpopKey } from "./dpop.ts";
import { isDpop } from "./is-dpop.ts";
import { keptPlace, recordOf } from "./kept-place.ts";
import type { Credentials, StoredTokens } from "./store/credentials.ts";
import { refreshTokens, type TokenPlace } from "./token-request.ts";

/** New tokens for the old ones. Where they are refused for good there are none any more: only a sign-in brings others. */
export async function refreshCredentials(
  context: AuthContext,
  kept: Credentials,
  tokens: StoredTokens,
): Promise<Credentials> {
  const place = keptPlace(kept);
  const client = clientOf(context, keptClient(kept, tokens.issuer));
  if (!place || !client) throw new Fault("internal", `Nothing is known of who issued the token of ${context.server}.`);
  const dpop = isDpop(tokens) ? (await openDpopKey(kept.dpopKey)).session : undefined;
  const record = recordOf(context, kept);
  const ask = (at: TokenPlace) => refreshTokens(context, { place: at, client, dpop }, tokens);
  try {
    return { ...record, tokens: await ask(place) };
  } catch (error) {
    const moved = isFault(error, "unavailable") ? await findMoved(context, place) : undefined;
    if (moved) return { ...record, discovery: moved, tokens: await ask(moved) };
    if (!isFault(error, "unauthorized")) throw error;
    context.log.info("the token can't be renewed", { reason: error.message });
    const { tokens: _, ...rest } = record;
    return rest;
  }
}

/** The same authorization server, where it issues tokens elsewhere by now. */
async function findMoved(context: AuthContext, place: TokenPlace): Promise<TokenPlace | undefined> {
  const server = await discoverAuthorizationServer(place.server.issuer, context, undefined).catch(() => undefined);
  const isMoved = server && server.metadata?.token_endpoint !== place.server.metadata?.token_endpoint;
  return isMoved ? { ...place, server } : undefined;
}
