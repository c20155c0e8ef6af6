const maxScopes = 200;
/** RFC 6749 § 3.3. Scopes from a server go into URLs and into commands that are shown, so nothing else is accepted. */
const scopeToken = /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/;

/** Each scope once, in order; undefined if there are none. */
export function joinScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = scopes.flatMap((scope) => scope?.split(/\s+/) ?? []).filter((word) => scopeToken.test(word));
  const unique = [...new Set(words)].slice(0, maxScopes);
  return unique.length === 0 ? undefined : unique.join(" ");
}

export function hasScope(scopes: string | undefined, scope: string): boolean {
  return scopes?.split(" ").includes(scope) ?? false;
}
