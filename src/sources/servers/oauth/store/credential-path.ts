import { existsSync } from "node:fs";
import type { Home } from "../../../../core/files/home.ts";
import { lazyCrypto } from "../../../../core/secrets/crypto.ts";

/** Two names for one URL are two accounts, so both go into the name of the file. */
export function credentialName(server: string, resource: URL): string {
  return lazyCrypto()
    .createHash("sha256")
    .update(`${server}\0${canonicalUri(resource)}`)
    .digest("hex");
}

/** Without fragment, and without a path if that is just `/`. The query may hold a key. */
export function canonicalUri(url: URL): string {
  return `${resourceUri(url)}${url.search}`;
}

/** What tokens are requested for (RFC 8707 § 2): without the query, since authorization servers and browsers see it. */
export function resourceUri({ origin, pathname }: URL): string {
  return pathname === "/" ? origin : `${origin}${pathname}`;
}

export function tokensFolder(home: Pick<Home, "file">): string {
  return home.file("tokens");
}

/** Whether a sign-in is stored, without opening it: users who never signed in never load the code that reads it. */
export function hasCredentials(home: Pick<Home, "file">, server: string, resource: URL): boolean {
  return existsSync(home.file("tokens", `${credentialName(server, resource)}.json`));
}
