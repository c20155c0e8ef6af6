import type { Finding } from "./check-value.ts";
import type { Config } from "./schema.ts";
import type { ServerConfig } from "./server-schema.ts";

/**
 * What a schema can't say of a server: which fields belong together, and which addresses are safe to talk to. Servers in
 * which something else is wrong already are passed over.
 */
export function checkServers(config: Config, findings: readonly Finding[]): readonly Finding[] {
  if (findings.some(({ path }) => path.length === 0 || (path[0] === "servers" && path.length === 1))) return [];
  const wrong = new Set(findings.filter(({ path }) => path[0] === "servers").map(({ path }) => path[1]));
  return Object.entries(config.servers)
    .filter(([name]) => !wrong.has(name))
    .flatMap(([name, server]) =>
      checkServer(server).map((found) => ({ ...found, path: ["servers", name, ...found.path] })),
    );
}

/** `stdio` where only a command is given. Done before the defaults are filled in, which would say `http`. */
export function inferTransport(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("servers" in value)) return value;
  const { servers } = value;
  if (typeof servers !== "object" || servers === null || Array.isArray(servers)) return value;
  const entries = Object.entries(servers).map(([name, server]: [string, unknown]) => {
    const isCommand = typeof server === "object" && server !== null && "command" in server && !("url" in server);
    return [name, isCommand && !("transport" in server) ? { ...server, transport: "stdio" } : server];
  });
  return { ...value, servers: Object.fromEntries(entries) };
}

function checkServer({ transport, url, command, auth }: ServerConfig): Finding[] {
  const findings: Finding[] = [];
  if (transport === "stdio" && command === undefined) {
    findings.push({ path: [], message: "needs a `command`, since its transport is stdio" });
  }
  if (transport === "http" && url === undefined) findings.push({ path: [], message: "needs a `url` or a `command`" });
  const addresses = [
    [["url"], transport === "http" ? url : undefined],
    [["auth", "authorizationServerUrl"], auth?.authorizationServerUrl],
  ] as const;
  for (const [path, address] of addresses) {
    const message = address === undefined ? undefined : judgeAddress(address);
    if (message !== undefined) findings.push({ path, message });
  }
  return findings;
}

function judgeAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return "is not an address; write it like https://example.com/mcp";
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") return "must begin with https://";
  const isLocal = /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  return isLocal ? undefined : "must begin with https://; plain http is for this machine only";
}
