import { Fault, isFault } from "../../../../core/fault.ts";
import type { AuthContext } from "../auth-context.ts";
import { configuredClient, keepableClient } from "../client-registration.ts";
import { openDpopKey } from "../dpop.ts";
import { chooseScope, findPlace } from "../find-place.ts";
import { recordOf, withSignIn } from "../kept-place.ts";
import type { Obtain } from "../token-keeper.ts";
import { grantTokens } from "../token-request.ts";
import { requestEnterpriseGrant } from "./enterprise.ts";
import type { GrantFacts } from "./grant-facts.ts";
import { requestWorkloadGrant } from "./workload.ts";

/** Tokens without a person: the client, a workload or an organisation speaks for itself. Nothing for other grants. */
export function createObtain(context: AuthContext): Obtain | undefined {
  const prepare = preparerOf(context);
  return (
    prepare &&
    (async (kept) => {
      const found = await findPlace(context, { pinned: kept?.issuer });
      const { place, dpop } = found;
      const scope = chooseScope(context, found, { kept, offline: false });
      const params = await prepare({ found, scope });
      if (scope !== undefined) params.set("scope", scope);
      const client = configuredClient(context);
      const key = dpop ? await openDpopKey(kept?.dpopKey) : undefined;
      const request = { place, client, dpop: key?.session, scope };
      const tokens = await grantTokens(context, request, params).catch((error: unknown) => {
        throw refusalOf(error, context.server);
      });
      return withSignIn(recordOf(context, kept), {
        place,
        client: keepableClient(context, client),
        tokens,
        dpopKey: key?.jwk,
      });
    })
  );
}

function preparerOf(context: AuthContext): ((facts: GrantFacts) => Promise<URLSearchParams>) | undefined {
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
function refusalOf(error: unknown, server: string): unknown {
  if (!isFault(error, "unauthorized")) return error;
  return new Fault("unauthorized", `${error.message} Look at auth of the server ${server} in the configuration.`, {
    cause: error,
    detail: error.detail,
  });
}
