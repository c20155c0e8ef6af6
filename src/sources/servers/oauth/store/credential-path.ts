import { existsSync } from "node:fs";
import { crypto } from "../../../../core/crypto.ts";
import type { Home } from "../../../../core/home.ts";

/** Two names for one address are two accounts, so both go into the name of the file. */
export function credentialName(server: string, resource: URL): string {
  return crypto()
    .createHash("sha256")
    .update(`${server}\0${canonicalUri(resource)}`)
    .digest("hex");
}

/** RFC 8707: scheme and host in lower case, which `URL` sees to, no fragment; a bare host has no path. */
export function canonicalUri(url: URL): string {
  const path = url.pathname === "/" ? "" : url.pathname;
  return `${url.origin}${path}${url.search}`;
}

export function tokensFolder(home: Pick<Home, "file">): string {
  return home.file("tokens");
}

/** Whether anything is kept for a server, without opening it: whoever never signed in never loads what reads it. */
export function hasCredentials(home: Pick<Home, "file">, server: string, resource: URL): boolean {
  return existsSync(home.file("tokens", `${credentialName(server, resource)}.json`));
}
