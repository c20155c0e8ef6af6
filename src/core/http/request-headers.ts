type Header = RequestHeaders[string];

const localHost = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/**
 * A name of an attacker's that resolves to this machine (DNS rebinding) still shows in the Host header. An allowed name
 * with a port counts with that port only, one without counts with any. Allowed names are in lower case.
 */
export function isAllowedHost(host: Header, allowed: readonly string[] | undefined): boolean {
  if (typeof host !== "string") return false;
  if (localHost.test(host)) return true;
  if (allowed === undefined || allowed.length === 0) return false;
  const name = host.toLowerCase();
  const bare = name.replace(/:\d{1,5}$/, "");
  return allowed.includes(name) || allowed.includes(bare);
}

/** Once, where they are told: they are compared with every request. */
export function toLowerCaseNames(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase());
}

/** A page can't send this type to another origin without asking first. */
export function isJson(type: Header): boolean {
  if (type === "application/json") return true;
  return typeof type === "string" && /^application\/json[ \t]*(?:;[^,]*)?$/i.test(type);
}

const longestAuthorization = 1024;
const bearer = /^Bearer +([!-~]+)$/i;

/** The token in the header `Authorization`, where there is exactly one. */
export function bearerToken(authorization: Header): string | undefined {
  if (typeof authorization !== "string" || authorization.length > longestAuthorization) return undefined;
  return bearer.exec(authorization)?.[1];
}

/** Headers as `node:http` gives them: lower-case names. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
