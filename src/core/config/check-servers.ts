import { checkAddress } from "./check-address.ts";
import { checkAuth } from "./check-auth.ts";
import type { Finding } from "./check-value.ts";
import { judgeHeaders } from "./judge-headers.ts";
import { rootUri } from "./root-uri.ts";
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
      [...checkName(name), ...checkServer(server)].map((found) => ({
        ...found,
        path: ["servers", name, ...found.path],
      })),
    );
}

/** What else offers tools is found under these names. */
const ownNames: ReadonlySet<string> = new Set(["agent", "machine"]);

function checkName(name: string): Finding[] {
  if (!ownNames.has(name)) return [];
  return [{ path: [], message: "has a name that Clawport itself uses; give it another, and `toolPrefix` the old one" }];
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

/** Everything wrong with one server, with paths that begin inside it. */
export function checkServer(server: ServerConfig): readonly Finding[] {
  return [...(server.transport === "stdio" ? checkCommand(server) : checkRemote(server)), ...checkCommon(server)];
}

function checkCommand({ command, args, env }: ServerConfig): Finding[] {
  const findings: Finding[] = [];
  if (command === undefined) findings.push({ path: [], message: "needs a `command`, since its transport is stdio" });
  if ([command ?? "", ...args].some((word) => word.includes("\0"))) {
    findings.push({ path: ["args"], message: "hold a NUL character, which no command can be given" });
  }
  for (const [name, value] of Object.entries(env)) {
    const isGood = name !== "" && !/[=\0]/.test(name) && !value.includes("\0");
    if (!isGood) findings.push({ path: ["env", name], message: "can't be an environment variable" });
  }
  return findings;
}

function checkRemote({ url, headers, apiKey, auth, tls }: ServerConfig): Finding[] {
  const findings = checkAddress(["url"], url);
  if (url === undefined) findings.push({ path: [], message: "needs a `url` or a `command`" });
  findings.push(...judgeHeaders(headers).map(({ name, message }) => ({ path: ["headers", name], message })));
  const authorization = Object.keys(headers).find((name) => name.toLowerCase() === "authorization");
  if (apiKey !== undefined && authorization !== undefined) {
    findings.push({ path: ["headers", authorization], message: "and `apiKey` say the same thing; keep one of them" });
  }
  if (auth !== undefined && (apiKey !== undefined || authorization !== undefined)) {
    const key = apiKey === undefined ? "an Authorization header" : "`apiKey`";
    findings.push({ path: ["auth"], message: `and ${key} are two ways to sign in; keep one of them` });
  }
  const bearer = apiKey === undefined ? [] : judgeHeaders({ authorization: apiKey });
  findings.push(...bearer.map(({ message }) => ({ path: ["apiKey"], message })));
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    findings.push({ path: ["tls"], message: "needs `cert` and `key` together" });
  }
  return findings;
}

function checkCommon({ auth, tools, roots, url, command }: ServerConfig): Finding[] {
  const findings: Finding[] = auth === undefined ? [] : [...checkAuth(auth)];
  if (url !== undefined && command !== undefined) {
    findings.push({ path: [], message: "has a `url` and a `command`; keep one of them" });
  }
  for (const [index, root] of roots.entries()) {
    if (rootUri(root) !== undefined) continue;
    findings.push({
      path: ["roots", index],
      message: "is neither a whole path nor a URI; begin it with / or with $HOME/",
    });
  }
  const seen = new Set<string>();
  for (const [tool, name] of Object.entries(tools.rename)) {
    if (seen.has(name)) findings.push({ path: ["tools", "rename", tool], message: "has the name of another tool" });
    seen.add(name);
  }
  return findings;
}
