import { Fault } from "../../../../core/fault.ts";
import { quoted } from "../../../../core/text/peer-text.ts";

/** Where the browser comes back to on this machine. */
export const callbackPath = "/callback";
export const deviceCodeGrantType = "urn:ietf:params:oauth:grant-type:device_code";

/**
 * Describes Clawport to authorization servers that accept a document instead of a registration. Its URL is the client's id,
 * so they must be able to reach it.
 */
export function clientDocument(address: string): Readonly<Record<string, unknown>> {
  requireDocumentAddress(address);
  return {
    client_id: address,
    client_name: "Clawport",
    application_type: "native",
    // Without a port, which stands for any (RFC 8252 § 7.3).
    redirect_uris: [`http://127.0.0.1${callbackPath}`, `http://localhost${callbackPath}`],
    grant_types: ["authorization_code", "refresh_token", deviceCodeGrantType],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

const documentPath = "/oauth/client.json";

/** Where a hub with a public address serves it. */
export function clientDocumentAddress(publicUrl: string): string {
  return new URL(documentPath, publicUrl).href;
}

/** What the hub's door serves, by path; empty if the hub has no public URL. */
export function publicDocuments(publicUrl: string | undefined): Readonly<Record<string, object>> {
  return publicUrl === undefined ? {} : { [documentPath]: clientDocument(clientDocumentAddress(publicUrl)) };
}

function requireDocumentAddress(address: string): void {
  const url = URL.parse(address);
  const isGood =
    url?.protocol === "https:" &&
    url.pathname !== "/" &&
    url.hash === "" &&
    url.username === "" &&
    url.href === address;
  if (isGood) return;
  const shown = quoted(address);
  throw new Fault(
    "usage",
    `${shown} can't be the URL of a client document: it needs https and a path, like https://example.com/clawport.json`,
  );
}
