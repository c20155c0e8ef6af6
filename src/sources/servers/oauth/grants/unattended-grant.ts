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

/** Gets tokens without the user, as a client, a workload or an organisation; undefined for other grants. */
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

/** A sign-in can't help here: the mistake is in the configuration, or at the authorization server. */
function withConfigHint(error: unknown, server: string): unknown {
  if (!isFault(error, "unauthorized")) return error;
  return new Fault("unauthorized", `${error.message} Check \`auth\` of the server ${server} in the configuration.`, {
    cause: error,
    detail: error.detail,
  });
}

/** What a grant needs for its request. */
export interface GrantFacts {
  readonly found: Discovery;
  readonly scope: string | undefined;
}

const jwtBearerGrantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** RFC 7523 § 2.1: the platform gives the workload a JWT. Platforms renew the file, so it is read each time. */
async function requestWorkloadGrant({ settings }: AuthContext): Promise<URLSearchParams> {
  const assertion = await readSecretFile(settings.assertionFile ?? "", "auth.assertionFile");
  return new URLSearchParams({ grant_type: jwtBearerGrantType, assertion });
}

/**
 * Enterprise-managed authorization: the organisation's identity provider exchanges the user's ID token for a grant for this
 * server (ID-JAG, RFC 8693), which the server's authorization server accepts (RFC 7523).
 */
async function requestEnterpriseGrant(context: AuthContext, { found, scope }: GrantFacts): Promise<URLSearchParams> {
  const { idp } = context.settings;
  if (!idp)
    throw new Fault("config", `Set \`auth.idp\` of the server ${context.server}: the grant "enterprise" needs it.`);
  const provider = await discoverAuthorizationServer(idp.issuer, context, undefined);
  if (!provider?.metadata) {
    throw new Fault(
      "unavailable",
      `The identity provider ${JSON.stringify(idp.issuer)} (\`auth.idp.issuer\`) has no metadata.`,
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
      grant_type: jwtBearerGrantType,
      assertion: jwtAuthGrant,
    });
  } catch (error) {
    // The library's message repeats the raw answer, which may hold the grant.
    if (isRefused)
      throw new Fault(
        "unauthorized",
        `The identity provider ${JSON.stringify(idp.issuer)} refused. Check that the ID token in \`auth.idp.idTokenFile\` is still valid.`,
      );
    throw toOAuthFault(error, idp.issuer);
  }
}
