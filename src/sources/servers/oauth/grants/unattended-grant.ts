import { requestJwtAuthorizationGrant } from "@modelcontextprotocol/client";
import { Fault, isFault } from "../../../../core/fault.ts";
import type { AuthContext } from "../auth-context.ts";
import { discoverAuthorizationServer } from "../discovery/authorization-server.ts";
import { chooseScope, type Discovery, runDiscovery } from "../discovery/run-discovery.ts";
import { toOAuthFault } from "../oauth-fault.ts";
import { readSecretFile } from "../registration/client-authentication.ts";
import { configuredClient, storableClient } from "../registration/client-registration.ts";
import { prunedRecord, withSignIn } from "../store/credential-record.ts";
import { openDpopKey } from "../tokens/dpop.ts";
import type { UnattendedGrant } from "../tokens/token-cache.ts";
import { grantTokens } from "../tokens/token-request.ts";

/** Tokens without a person: the client, a workload or an organisation speaks for itself. Nothing for other grants. */
export function createUnattendedGrant(context: AuthContext): UnattendedGrant | undefined {
  const prepare = grantPreparer(context);
  return (
    prepare &&
    (async (kept) => {
      const found = await runDiscovery(context, { pinned: kept?.issuer });
      const { tokenIssuer, dpop } = found;
      const scope = chooseScope(context, found, { kept, offline: false });
      const params = await prepare({ found, scope });
      if (scope !== undefined) params.set("scope", scope);
      const client = configuredClient(context);
      const key = dpop ? await openDpopKey(kept?.dpopKey) : undefined;
      const request = { tokenIssuer, client, dpop: key?.session, scope };
      const tokens = await grantTokens(context, request, params).catch((error: unknown) => {
        throw withConfigHint(error, context.server);
      });
      return withSignIn(prunedRecord(context, kept), {
        tokenIssuer,
        client: storableClient(context, client),
        tokens,
        dpopKey: key?.jwk,
      });
    })
  );
}

function grantPreparer(context: AuthContext): ((facts: GrantFacts) => Promise<URLSearchParams>) | undefined {
  switch (context.settings.grant) {
    case "client-credentials":
      return () => Promise.resolve(new URLSearchParams({ grant_type: "client_credentials" }));
    case "workload":
      return () => requestWorkloadGrant(context);
    case "enterprise":
      return (facts) => requestEnterpriseGrant(context, facts);
    default:
      return undefined;
  }
}

/** Nobody can be asked to sign in: what is wrong is in the configuration, or over there. */
function withConfigHint(error: unknown, server: string): unknown {
  if (!isFault(error, "unauthorized")) return error;
  return new Fault("unauthorized", `${error.message} Look at auth of the server ${server} in the configuration.`, {
    cause: error,
    detail: error.detail,
  });
}

/** What a grant needs to know to make its request. */
export interface GrantFacts {
  readonly found: Discovery;
  readonly scope: string | undefined;
}

/** RFC 7523 § 2.1: a JWT that the platform gave the workload stands for it. Platforms renew the file, so it is read anew. */
async function requestWorkloadGrant({ settings }: AuthContext): Promise<URLSearchParams> {
  const assertion = await readSecretFile(settings.assertionFile ?? "", "auth.assertionFile");
  return new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion });
}

/**
 * Enterprise-managed authorization: the organisation's identity provider turns a person's ID token into a grant for this
 * one server (ID-JAG, RFC 8693), which its authorization server then takes (RFC 7523).
 */
async function requestEnterpriseGrant(context: AuthContext, { found, scope }: GrantFacts): Promise<URLSearchParams> {
  const { idp } = context.settings;
  if (!idp) throw new Fault("config", `The server ${context.server} needs auth.idp, since its grant is enterprise.`);
  const provider = await discoverAuthorizationServer(idp.issuer, context, undefined);
  if (!provider?.metadata) {
    throw new Fault(
      "unavailable",
      `${JSON.stringify(idp.issuer)} (auth.idp.issuer) has no metadata of an identity provider.`,
    );
  }
  const idToken = await readSecretFile(idp.idTokenFile, "auth.idp.idTokenFile");
  let isRefused = false;
  try {
    const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
      tokenEndpoint: provider.metadata.token_endpoint,
      audience: found.tokenIssuer.server.issuer,
      resource: found.resource.resource,
      idToken,
      clientId: idp.clientId,
      ...(idp.clientSecret !== undefined && { clientSecret: idp.clientSecret }),
      ...(scope !== undefined && { scope }),
      async fetchFn(url, init) {
        const response = await context.fetch(url, init);
        isRefused = response.status >= 400 && response.status < 500;
        return response;
      },
    });
    return new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: jwtAuthGrant,
    });
  } catch (error) {
    // The library's message repeats the raw answer, which may hold the grant.
    if (isRefused)
      throw new Fault(
        "unauthorized",
        `The identity provider ${JSON.stringify(idp.issuer)} refused. Is the ID token in auth.idp.idTokenFile still good?`,
      );
    throw toOAuthFault(error, idp.issuer);
  }
}
