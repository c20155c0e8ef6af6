import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { listenHere } from "../support/listen-here.ts";

/** Everything about a request that the sender would not like to see again, in several spellings. */
export function echoOf(request: IncomingMessage, body: string): readonly string[] {
  const seen = [request.url ?? "", ...Object.values(request.headers).map(String), body.slice(0, 20_000)];
  return seen.flatMap((text) => [text, Buffer.from(text).toString("base64"), encodeURIComponent(text)]);
}

/**
 * A server that refuses every request with all that it was sent, as error pages in the wild do. It calls itself an
 * authorization server, so that clients send their secrets to it.
 */
export async function startEchoServer(status: number) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = (await buffer(request)).toString("latin1");
      const echo = echoOf(request, body);
      const isDiscovery = /^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)/.test(
        request.url ?? "",
      );
      if (!isDiscovery) seen.push(...echo);
      const refusal = { error: "invalid_client", error_description: echo.join(" "), message: echo };
      response.writeHead(isDiscovery ? 200 : status, { "content-type": "application/json" });
      response.end(JSON.stringify(isDiscovery ? metadata() : refusal));
    })();
  });
  const listening = await listenHere(server);
  const { origin } = listening;
  return { url: origin, seen, [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose]() };

  function metadata(): object {
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "private_key_jwt"],
      token_endpoint_auth_signing_alg_values_supported: ["ES256"],
      grant_types_supported: [
        "client_credentials",
        "urn:ietf:params:oauth:grant-type:jwt-bearer",
        "urn:ietf:params:oauth:grant-type:token-exchange",
      ],
      authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
    };
  }
}
