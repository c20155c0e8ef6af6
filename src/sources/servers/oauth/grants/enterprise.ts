import { requestJwtAuthorizationGrant } from "@modelcontextprotocol/client";
import { Fault } from "../../../../core/fault.ts";
import type { AuthContext } from "../auth-context.ts";
import { discoverAuthorizationServer } from "../authorization-server.ts";
import { readSecretFile } from "../client-authentication.ts";
import { toOAuthFault } from "../oauth-fault.ts";
import type { GrantFacts } from "./grant-facts.ts";

/**
 * Enterprise-managed authorization: the organisation's identity provider turns a person's ID token into a grant for this
 * one server (ID-JAG, RFC 8693), which its authorization server then takes (RFC 7523).
 */
export async function requestEnterpriseGrant(
  context: AuthContext,
  { found, scope }: GrantFacts,
): Promise<URLSearchParams> {
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
      audience: found.place.server.issuer,
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
