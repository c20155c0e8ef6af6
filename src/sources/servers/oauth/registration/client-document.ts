import { Fault } from "../../../../core/fault.ts";
import { quoted } from "../../../../core/peer-text.ts";

/**
 * What describes Clawport to authorization servers that take a document in place of a registration. Its address is the
 * client's id, so it has to be one that they can reach.
 */
export function clientDocument(address: string): Readonly<Record<string, unknown>> {
  requireDocumentAddress(address);
  return {
    client_id: address,
    client_name: "Clawport",
    application_type: "native",
    // Without a port, which stands for any (RFC 8252 § 7.3).
    redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback"],
    grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

const documentPath = "/oauth/client.json";

/** Where a hub with a public address serves it. */
export function clientDocumentAddress(publicUrl: string): string {
  return new URL(documentPath, publicUrl).href;
}

/** For the hub's door, by path; nothing where the hub has no public address. */
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
    `${shown} can't be the address of a client document: it takes https and a path, like https://example.com/clawport.json`,
  );
}
