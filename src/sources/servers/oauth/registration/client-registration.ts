import {
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  registerClient,
} from "@modelcontextprotocol/client";
import { Fault } from "../../../../core/fault.ts";
import { isLoopbackHostname } from "../../../../core/http/addresses.ts";
import { quoted } from "../../../../core/text/peer-text.ts";
import type { AuthContext } from "../auth-context.ts";
import type { AuthorizationServer } from "../discovery/authorization-server.ts";
import type { Credentials } from "../store/credentials.ts";
import { callbackPath } from "./client-document.ts";
import { registrationFault } from "./registration-fault.ts";

export interface RegistrationRequest {
  readonly server: AuthorizationServer;
  /** Undefined for sign-ins without a browser. */
  readonly redirectUri?: string | undefined;
  readonly grantTypes: readonly string[];
  readonly scope?: string | undefined;
  readonly kept: Credentials | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Which client to sign in as, in the order of the specification: configured, described by a document, registered now. */
export async function chooseClient(
  context: AuthContext,
  registration: RegistrationRequest,
): Promise<OAuthClientInformationMixed> {
  const { settings } = context;
  const { server, kept } = registration;
  if (settings.clientId !== undefined) return configuredClient(context);
  if (settings.clientMetadataUrl !== undefined && server.metadata?.client_id_metadata_document_supported === true)
    return { client_id: settings.clientMetadataUrl };
  const known = storedClient(kept, server.issuer);
  if (known && isUsable(known, registration, context.now())) return known;
  if (server.metadata && server.metadata.registration_endpoint === undefined)
    throw registrationUnsupported(context, server);
  return register(context, registration);
}

export function configuredClient({ settings }: Pick<AuthContext, "settings">): OAuthClientInformationMixed {
  const { clientId = "", clientSecret } = settings;
  return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
}

/** A client is known only to the issuer that registered it. */
export function storedClient(kept: Credentials | undefined, issuer: string): OAuthClientInformationMixed | undefined {
  return kept && Object.hasOwn(kept.clients, issuer) ? kept.clients[issuer] : undefined;
}

/** The client that got the tokens. The secret of a configured client is only in the configuration. */
export function resolveClient(
  context: AuthContext,
  kept: OAuthClientInformationMixed | undefined,
): OAuthClientInformationMixed | undefined {
  const { clientId } = context.settings;
  if (kept && kept.client_id !== clientId) return kept;
  return clientId === undefined ? undefined : configuredClient(context);
}

/** The part of a client that is stored. */
export function storableClient(
  { settings }: AuthContext,
  client: OAuthClientInformationMixed,
): OAuthClientInformationMixed {
  return client.client_id === settings.clientId ? { client_id: client.client_id } : client;
}

function isUsable(
  client: OAuthClientInformationMixed,
  { redirectUri, scope }: RegistrationRequest,
  now: number,
): boolean {
  // It gets no more than the scopes it was registered for (RFC 7591 § 2).
  const registered = "scope" in client && client.scope ? client.scope.split(" ") : undefined;
  if (registered && scope?.split(" ").some((each) => !registered.includes(each))) return false;
  if ("client_secret_expires_at" in client) {
    const expiry = client.client_secret_expires_at ?? 0;
    if (expiry !== 0 && expiry * 1000 <= now) return false;
  }
  // Some authorization servers do not allow another port than the registered one.
  return redirectUri === undefined || ("redirect_uris" in client && client.redirect_uris.includes(redirectUri));
}

async function register(context: AuthContext, registration: RegistrationRequest): Promise<OAuthClientInformationMixed> {
  const { server, scope, signal } = registration;
  const { fetch, settings } = context;
  const { initialAccessToken: token } = settings;
  try {
    return await registerClient(server.issuer, {
      ...(server.metadata && { metadata: server.metadata }),
      clientMetadata: clientMetadata(registration),
      ...(scope !== undefined && { scope }),
      fetchFn(url, init) {
        const headers = new Headers(init?.headers);
        if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
        return fetch(url, { ...init, headers, ...(signal && { signal }) });
      },
    });
  } catch (error) {
    throw registrationFault(error, context, server);
  }
}

function clientMetadata({ server, redirectUri, grantTypes }: RegistrationRequest): OAuthClientMetadata {
  const isLocal = redirectUri === undefined || isLoopbackHostname(new URL(redirectUri).hostname);
  return {
    client_name: "Clawport",
    redirect_uris: redirectUri === undefined ? [] : [redirectUri],
    grant_types: [...grantTypes],
    // Without it, "code" is the default (RFC 7591 § 2), which a device sign-in does not have.
    response_types: redirectUri === undefined ? [] : ["code"],
    token_endpoint_auth_method: authMethod(server.metadata?.token_endpoint_auth_methods_supported),
    application_type: isLocal ? "native" : "web",
  };
}

/** A program on the user's machine can't keep a secret from them, so it prefers to have none. */
function authMethod(supported: readonly string[] | undefined): string {
  const known = ["none", "client_secret_basic", "client_secret_post", "client_secret_jwt"];
  return known.find((method) => supported === undefined || supported.includes(method)) ?? "none";
}

function registrationUnsupported({ server }: AuthContext, { issuer, metadata }: AuthorizationServer): Fault {
  if (metadata?.client_id_metadata_document_supported === true)
    return new Fault(
      "config",
      `${quoted(issuer)} knows clients only by a document about them. Publish the one that \`clawport auth client-document\` prints at an https address, and set \`auth.clientMetadataUrl\` of the server ${server} to it. Or register Clawport there by hand and set \`auth.clientId\`.`,
    );
  return new Fault(
    "config",
    `${quoted(issuer)} does not register clients automatically. Register Clawport there by hand, as a native app with the redirect URI http://127.0.0.1${callbackPath}, and set \`auth.clientId\` (and \`auth.clientSecret\`) of the server ${server}.`,
  );
}
