/** What is wrong with the address of a server, as the rest of a sentence; nothing when it may be used. */
export function judgeAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return "is not an address; write it like https://example.com/mcp";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must begin with https://";
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return "must begin with https://; plain http is for this machine only, where a tunnel (ssh -L) can end";
  }
  if (url.username !== "" || url.password !== "") {
    return "holds a user name or a password; put them into `headers` as Authorization, or use `apiKey`";
  }
  return undefined;
}

/** By its spelling alone: a name that merely resolves to this machine today may point elsewhere tomorrow. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
