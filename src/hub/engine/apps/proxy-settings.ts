import { join } from "node:path";
import { parseEnv } from "node:util";
import { codeOf, Fault, isFault, messageOf } from "../../../core/fault.ts";
import { readRegularFile } from "../../../core/files/read-regular-file.ts";
import { isLoopbackHost } from "../../../core/http/addresses.ts";
import type { Log } from "../../../core/log.ts";
import type { Env } from "../../../core/process/child-env.ts";
import type { World } from "../../../core/process/world.ts";
import { Secret } from "../../../core/secrets/secret.ts";

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

const defaultUrl = "http://127.0.0.1:8000";
const largestEnvFile = 1024 * 1024;

/** The environment, and below it the `.env` file of the working folder. */
export interface ProxyEnv {
  /** Both together. The environment takes precedence. */
  readonly env: Env;
  readonly own: Env;
  readonly inFile: Env;
  /** The path of the `.env` file. */
  readonly file: string;
}

export async function readProxyEnv({ env, cwd }: Pick<World, "env" | "cwd">): Promise<ProxyEnv> {
  const file = join(cwd, ".env");
  try {
    const found = Object.entries(parseEnv(await readRegularFile(file, largestEnvFile)));
    const inFile = Object.fromEntries(found.filter(([name]) => name.startsWith(prefix)));
    return { env: { ...inFile, ...env }, own: env, inFile, file };
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return { env, own: env, inFile: {}, file };
    if (isFault(error)) throw error;
    throw new Fault("config", `Could not read ${file}: ${messageOf(error)}.`, { cause: error });
  }
}

/** What proxy-stdio was given on its command line. */
export interface GivenTarget {
  readonly address: string | undefined;
  readonly session: string | undefined;
}

/**
 * A `.env` file comes with its folder, perhaps from a stranger. So the owner's token never goes to an address or a session
 * from there, and a token from there goes only to the address beside it, or to the default.
 */
export function requireSafeTarget(settings: ProxyEnv, given: GivenTarget): void {
  const { env, inFile } = settings;
  const [token, address, session] = [`${prefix}OPENCLAW_TOKEN`, `${prefix}SERVER_URL`, `${prefix}SESSION_ID`];
  if (!env[token]) return;
  if (isFromFile(settings, token)) {
    const href = URL.parse(given.address ?? (env[address] || defaultUrl))?.href;
    const isItsOwn = [inFile[address], defaultUrl].some((known) => known && URL.parse(known)?.href === href);
    if (!isItsOwn) throw mixed(settings, token, given.address === undefined ? address : "--proxy-base-url");
    return;
  }
  const used = [...(given.address === undefined ? [address] : []), ...(given.session === undefined ? [session] : [])];
  const foreign = used.find((name) => env[name] && isFromFile(settings, name));
  if (foreign !== undefined) throw mixed(settings, foreign, token);
}

/** Whoever wrote the `.env` file knows the tokens in it: one of them must not open what the owner's tokens protect. */
export function requireTokensOfOnePlace(settings: ProxyEnv): void {
  // Sessions and calls go through NATS: an address from a stranger must not get those that the owner's tokens protect.
  const names = [
    "APP_TOKEN",
    "OPENCLAW_TOKEN",
    "OPERATOR_TOKEN",
    "NATS_URL",
    "NATS_CREDENTIALS",
    "NATS_CA",
    "NATS_KEY",
    "NATS_UNSEALED",
  ]
    .map((name) => prefix + name)
    .filter((name) => settings.env[name]);
  const inFile = names.find((name) => isFromFile(settings, name));
  const elsewhere = names.find((name) => !isFromFile(settings, name));
  if (inFile !== undefined && elsewhere !== undefined) throw mixed(settings, inFile, elsewhere);
}

function isFromFile({ own, inFile }: ProxyEnv, name: string): boolean {
  return own[name] === undefined && Object.hasOwn(inFile, name);
}

function mixed(settings: ProxyEnv, ...names: readonly [string, string]): Fault {
  const [one, other] = names.map((name) => {
    const place = name.startsWith("-") ? "the command line" : "your environment";
    return `${name} comes from ${isFromFile(settings, name) ? settings.file : place}`;
  });
  const why = "A secret is never used together with what the .env file of a folder says.";
  return new Fault("untrusted", `${one}, but ${other}. ${why} Give both in the same place.`);
}

export function parseProxySettings(env: Env): ProxySettings {
  return {
    appToken: tokenOf(env, "APP_TOKEN"),
    openclawToken: tokenOf(env, "OPENCLAW_TOKEN"),
    operatorToken: tokenOf(env, "OPERATOR_TOKEN"),
    serverUrl: env[`${prefix}SERVER_URL`] || defaultUrl,
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
