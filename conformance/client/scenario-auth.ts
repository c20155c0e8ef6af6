import { writeFile } from "node:fs/promises";
import path from "node:path";

/** What the runner passes to a client for one scenario. */
export interface ScenarioContext {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
  readonly idp_issuer?: string;
  readonly valid_jwt?: string;
}

/** The `auth` setting that a user would configure for the scenario. */
export async function scenarioAuth(
  scenario: string,
  context: ScenarioContext,
  { url, folder }: { readonly url: string; readonly folder: string },
): Promise<Record<string, unknown> | undefined> {
  const { client_id: clientId, client_secret: clientSecret } = context;
  const client = { ...(clientId !== undefined && { clientId }), ...(clientSecret !== undefined && { clientSecret }) };
  const keep = async (name: string, text: string) => {
    const file = path.join(folder, name);
    await writeFile(file, text, { mode: 0o600 });
    return file;
  };
  if (context.valid_jwt !== undefined)
    return {
      ...client,
      grant: "workload",
      assertionFile: await keep("workload.jwt", context.valid_jwt),
      authorizationServerUrl: await authorityOf(url),
    };
  if (context.idp_id_token !== undefined) {
    const idTokenFile = await keep("id-token.jwt", context.idp_id_token);
    return {
      ...client,
      grant: "enterprise",
      authorizationServerUrl: await authorityOf(url),
      idp: { issuer: context.idp_issuer, clientId: context.idp_client_id, idTokenFile },
    };
  }
  if (context.private_key_pem !== undefined)
    return {
      ...client,
      grant: "client-credentials",
      privateKeyFile: await keep("key.pem", context.private_key_pem),
      signingAlgorithm: context.signing_algorithm,
    };
  if (scenario.startsWith("auth/client-credentials"))
    return { ...client, grant: "client-credentials", authorizationServerUrl: await authorityOf(url) };
  // Servers of that revision have no metadata, so they can't say that they check PKCE.
  if (scenario.startsWith("auth/2025-03-26-")) return { ...client, allowMissingPkce: true };
  if (scenario === "auth/basic-cimd")
    return { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" };
  return clientId === undefined ? undefined : client;
}

/** A user knows which server a secret is for. The runner says it only in the server's metadata. */
async function authorityOf(url: string): Promise<string | undefined> {
  const { pathname } = new URL(url);
  const response = await fetch(new URL(`/.well-known/oauth-protected-resource${pathname}`, url));
  return ((await response.json()) as { readonly authorization_servers?: readonly string[] }).authorization_servers?.[0];
}
