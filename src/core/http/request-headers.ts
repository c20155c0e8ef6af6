type Header = RequestHeaders[string];

const localHost = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/**
 * An attacker's name that resolves to this machine (DNS rebinding) still shows in the Host header. An allowed name with a
 * port matches that port only, one without matches any. Allowed names are in lower case.
 */
export function isAllowedHost(host: Header, allowed: readonly string[] | undefined): boolean {
  if (typeof host !== "string") return false;
  if (localHost.test(host)) return true;
  if (allowed === undefined || allowed.length === 0) return false;
  const name = host.toLowerCase();
  const bare = name.replace(/:\d{1,5}$/, "");
  return allowed.includes(name) || allowed.includes(bare);
}

/** Node keeps the first of two Host headers; a proxy in front of it may have read the second. */
export function hasRepeatedHost(rawHeaders: readonly string[]): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name === "host" || (name.length === 4 && name.toLowerCase() === "host")) found++;
  }
  return found > 1;
}

/** Node's parser also accepts request lines that end with `HTTP/2.0` or `HTTP/0.9`. */
export function isKnownHttpVersion(version: string): boolean {
  return version === "1.1" || version === "1.0";
}

/** Done once, since the names are compared with every request. */
export function toLowerCaseNames(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase());
}

/** A web page can't send this type to another origin without a preflight request. */
export function isJson(type: Header): boolean {
  if (type === "application/json") return true;
  return typeof type === "string" && /^application\/json[ \t]*(?:;[^,]*)?$/i.test(type);
}

const maxAuthorizationLength = 1024;
const bearer = /^Bearer +([!-~]+)$/i;

/** The token in the `Authorization` header, if there is exactly one. */
export function bearerToken(authorization: Header): string | undefined {
  if (typeof authorization !== "string" || authorization.length > maxAuthorizationLength) return undefined;
  return bearer.exec(authorization)?.[1];
}

/** Headers as `node:http` has them: names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
