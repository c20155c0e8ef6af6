/** A server to connect to, as configuration files write it. */
export type FanOutServer = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

/** Which servers a client of the fan-out is to connect to, by name. */
export function readServers(): Readonly<Record<string, FanOutServer>> {
  return JSON.parse(process.argv[2]!);
}

/** What the client has found and what that has cost its own process so far, the start included. */
export function reportListed(tools: number): void {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${JSON.stringify({ tools, cpuMs: (user + system) / 1000 })}\n`);
}
