/** Whether the address at the other end of a socket is one of this machine alone. */
export function isLoopbackPeer(peer: string | undefined): boolean {
  if (peer === undefined) return false;
  if (peer === "127.0.0.1" || peer === "::1") return true;
  const address = peer.startsWith("::ffff:") ? peer.slice(7) : peer;
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
}

/** Whether a server that listens there is out of reach for other machines. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || isLoopbackPeer(host);
}
