import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { codeOf, Fault, messageOf } from "../../core/fault.ts";
import { isLoopbackHost } from "../../core/http/addresses.ts";
import type { Log } from "../../core/log.ts";
import type { Env } from "../../core/process/child-env.ts";
import type { World } from "../../core/process/world.ts";
import { Secret } from "../../core/secrets/secret.ts";

/** The proxy's settings from the environment. */
export interface ProxySettings {
  /** Undefined if the variable is empty: that side then needs no token. */
  readonly appToken: Secret | undefined;
  readonly openclawToken: Secret | undefined;
  readonly operatorToken: Secret | undefined;
  readonly serverUrl: string;
  readonly ttlMs: number;
  readonly timeoutMs: number;
  readonly graceMs: number;
}

const prefix = "OPENCLAW_PROXY_";

/** The environment, and below it the `.env` file of the working folder. */
export async function readProxyEnv({ env, cwd }: Pick<World, "env" | "cwd">): Promise<Env> {
  const path = join(cwd, ".env");
  try {
    const found = parseEnv(await readFile(path, "utf8"));
    const ours = Object.entries(found).filter(([name]) => name.startsWith(prefix));
    return { ...Object.fromEntries(ours), ...env };
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return env;
    throw new Fault("config", `Could not read ${path}: ${messageOf(error)}.`, { cause: error });
  }
}

export function parseProxySettings(env: Env): ProxySettings {
  return {
    appToken: tokenOf(env, "APP_TOKEN"),
    openclawToken: tokenOf(env, "OPENCLAW_TOKEN"),
    operatorToken: tokenOf(env, "OPERATOR_TOKEN"),
    serverUrl: env[`${prefix}SERVER_URL`] || "http://127.0.0.1:8000",
    ttlMs: secondsOf(env, "SESSION_TTL_SECONDS", 300, 1),
    timeoutMs: secondsOf(env, "TOOL_TIMEOUT_SECONDS", 120, 0.001),
    graceMs: secondsOf(env, "BRIDGE_GRACE_SECONDS", 0, 0),
  };
}

/** The names under which the proxy can be reached. */
export interface Reached {
  readonly host: string;
  readonly publicUrl?: string | undefined;
  readonly allowedHosts: readonly string[];
}

/** Beyond this machine an empty token lets everyone in, so it is refused; on this machine it is a warning. */
export function requireTokens({ host, publicUrl, allowedHosts }: Reached, settings: ProxySettings, log: Log): void {
  const sides = [
    { name: `${prefix}APP_TOKEN`, token: settings.appToken, may: "register apps" },
    { name: `${prefix}OPENCLAW_TOKEN`, token: settings.openclawToken, may: "call their tools" },
  ];
  const missing = sides.filter(({ token }) => token === undefined);
  if (missing.length === 0) return;
  const elsewhere = [host, ...(publicUrl === undefined ? [] : [new URL(publicUrl).host]), ...allowedHosts].find(
    isElsewhere,
  );
  if (elsewhere !== undefined) {
    const [names, be, them] = [
      missing.map(({ name }) => name).join(" and "),
      missing.length === 1 ? "is" : "are",
      missing.length === 1 ? "it" : "them",
    ];
    throw new Fault(
      "config",
      `${elsewhere} is open to other machines, but ${names} ${be} empty. Set ${them} in the environment or in .env (\`openssl rand -hex 24\` makes one), or listen on 127.0.0.1.`,
    );
  }
  for (const { name, may } of missing) {
    log.warn(`${name} is empty: every program on this machine may ${may}. Set it before others can reach it.`);
  }
}

function isElsewhere(name: string): boolean {
  const bare = name.replace(/:\d{1,5}$/, "").replace(/^\[(.*)\]$/, "$1");
  return !isLoopbackHost(name) && !isLoopbackHost(bare);
}

function tokenOf(env: Env, name: string): Secret | undefined {
  const value = env[prefix + name]?.trim();
  if (!value) return undefined;
  if (!/^[!-~]{1,1000}$/.test(value)) {
    throw new Fault("config", `${prefix}${name} must be visible ASCII characters without spaces`);
  }
  return new Secret(value);
}

function secondsOf(env: Env, name: string, standard: number, least: number): number {
  const text = env[prefix + name]?.trim();
  if (!text) return standard * 1000;
  const seconds = Number(text);
  if (!(seconds >= least) || seconds > 2_000_000) {
    throw new Fault("config", `${prefix}${name} must be a number of seconds, at least ${least}`);
  }
  return seconds * 1000;
}
