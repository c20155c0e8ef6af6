/** What is wrong with the address of a server, as the rest of a sentence; undefined if it may be used. */
export function judgeAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return "is not a valid address; write it like https://example.com/mcp";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must begin with https://";
  if (url.protocol === "http:" && !isLoopbackHostname(url.hostname)) {
    return "must begin with https://; plain http is only for this machine, where a tunnel (ssh -L) can end";
  }
  if (url.username !== "" || url.password !== "") {
    return "contains a user name or a password; put them into `headers` as Authorization, or use `apiKey`";
  }
  return undefined;
}

/**
 * The host name of a URL, IPv6 in brackets. Judged by its spelling alone: a name that resolves to this machine today may
 * point elsewhere tomorrow.
 */
export function isLoopbackHostname(hostname: string): boolean {
  return /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** The address at the other end of a socket, IPv6 without brackets. */
export function isLoopbackPeer(peer: string | undefined): boolean {
  if (peer === undefined) return false;
  if (peer === "127.0.0.1" || peer === "::1") return true;
  const address = peer.startsWith("::ffff:") ? peer.slice(7) : peer;
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
}

/** The host a server listens on: whether other machines can't reach it. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || isLoopbackPeer(host);
}

/** The origin as a browser writes it into `Origin`, since any other spelling would never match. Undefined if it is not one. */
export function webOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  if (/^https?:$/.test(url.protocol)) return url.href === `${url.origin}/` ? url.origin : undefined;
  // Pages of browser extensions and of apps have their own schemes.
  return url.origin === "null" && /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+$/.test(text) ? text : undefined;
}
