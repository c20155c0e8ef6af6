import { readFileSync, statSync } from "node:fs";
import { codeOf, Fault, messageOf } from "../core/fault.ts";
import { isListening } from "../core/http/is-listening.ts";
import { nonBlank } from "../core/files/resolve-home.ts";
import { asRecord } from "../core/is-record.ts";
import type { Env } from "../core/process/child-env.ts";
import { openclawPaths } from "./openclaw-paths.ts";

export interface LocatedGateway {
  readonly address: GatewayAddress;
  /** Always true for a gateway that was named: to fall back silently would hide that it is down. */
  isThere(): Promise<boolean>;
}

/** The gateway that the flags, the environment or OpenClaw's own configuration name. */
export async function locateGateway(
  { env, homedir }: Pick<ResolveGatewayOptions, "env" | "homedir">,
  flags: GatewayFlags,
): Promise<LocatedGateway> {
  const address = await resolveGatewayAddress({ flags, env, homedir });
  const { host, port } = gatewayEndpoint(address);
  return { address, isThere: async () => address.stateFolder === undefined || isListening(host, port) };
}

/** Where a gateway is, and the credentials for it. */
export interface GatewayAddress {
  readonly url: string;
  readonly token?: string | undefined;
  readonly password?: string | undefined;
  /** Which setting the address came from: error messages name it. */
  readonly from: string;
  /** What gives the credentials for it, for messages; the environment unless named. */
  readonly credentialsFrom?: string | undefined;
  /** The state folder of an OpenClaw on this machine; undefined if the gateway runs elsewhere. */
  readonly stateFolder?: string | undefined;
  /** The user who owns that OpenClaw's configuration, and so may run its gateway. */
  readonly owner?: number | undefined;
}

/** The command line's `--gateway`, `--token` and `--password`. */
export interface GatewayFlags {
  /** A `ws://` or `wss://` address. */
  readonly gateway?: string | undefined;
  readonly token?: string | undefined;
  readonly password?: string | undefined;
}

export interface ResolveGatewayOptions {
  readonly flags?: GatewayFlags | undefined;
  readonly env: Env;
  readonly homedir: string;
}

/**
 * Makes the same choice as OpenClaw's own programs. An address from a flag or the environment is never sent the
 * credentials in OpenClaw's configuration: they belong to another gateway.
 */
export async function resolveGatewayAddress({
  flags = {},
  env,
  homedir,
}: ResolveGatewayOptions): Promise<GatewayAddress> {
  const envToken = nonBlank(env["OPENCLAW_GATEWAY_TOKEN"]);
  const envPassword = nonBlank(env["OPENCLAW_GATEWAY_PASSWORD"]);
  if (flags.gateway !== undefined) {
    const { gateway: url, token, password } = flags;
    return checkAddress({ url, token, password, from: "--gateway", credentialsFrom: "`--token`, `--password`" });
  }
  const envUrl = nonBlank(env["OPENCLAW_GATEWAY_URL"]);
  if (envUrl !== undefined) {
    const token = flags.token ?? envToken;
    const password = flags.password ?? envPassword;
    return checkAddress({ url: envUrl, token, password, from: "OPENCLAW_GATEWAY_URL" });
  }

  const { stateFolder, config: file } = openclawPaths(env, homedir);
  const gateway = asRecord(asRecord(await readOpenClawConfig(file))["gateway"]);
  const auth = asRecord(gateway["auth"]);
  const remote = asRecord(gateway["remote"]);
  const secret = (value: unknown): string | undefined => resolveSecret(value, env);
  const remoteUrl = secret(remote["url"]);
  if (gateway["mode"] === "remote" && remoteUrl !== undefined) {
    return checkAddress({
      url: remoteUrl,
      token: flags.token ?? secret(remote["token"]) ?? envToken ?? secret(auth["token"]),
      password: flags.password ?? envPassword ?? secret(remote["password"]) ?? secret(auth["password"]),
      from: `gateway.remote.url in ${file}`,
    });
  }
  const envPort = nonBlank(env["OPENCLAW_GATEWAY_PORT"]);
  const port = envPort ?? (typeof gateway["port"] === "number" ? String(gateway["port"]) : "18789");
  if (!isPort(port)) {
    const from = envPort === undefined ? `gateway.port in ${file}` : "OPENCLAW_GATEWAY_PORT";
    throw badSetting(`${from} must be a port from 1 to 65535.`, from);
  }
  const scheme = asRecord(gateway["tls"])["enabled"] === true ? "wss" : "ws";
  return checkAddress({
    url: `${scheme}://127.0.0.1:${port}`,
    token: flags.token ?? secret(auth["token"]) ?? envToken ?? secret(remote["token"]),
    password: flags.password ?? secret(auth["password"]) ?? envPassword ?? secret(remote["password"]),
    from: envPort === undefined ? file : `OPENCLAW_GATEWAY_PORT and ${file}`,
    stateFolder,
    owner: statSync(file, { throwIfNoEntry: false })?.uid,
  });
}

interface GatewayEndpoint {
  readonly host: string;
  readonly port: number;
  /** For messages: unlike the URL, it holds no secrets. */
  readonly name: string;
}

/** The host and port to connect to. */
export function gatewayEndpoint(address: GatewayAddress): GatewayEndpoint {
  const { protocol, hostname, port: written } = new URL(address.url);
  const port = Number(written || (protocol === "wss:" ? 443 : 80));
  return { host: hostname.replaceAll(/[[\]]/g, ""), port, name: `${hostname}:${port}` };
}

function checkAddress(address: GatewayAddress): GatewayAddress {
  const url = URL.parse(address.url);
  if (url?.protocol === "ws:" || url?.protocol === "wss:") return address;
  throw badSetting(`The gateway address must begin with ws:// or wss://. Check ${address.from}.`, address.from);
}

function isPort(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

/** `detail` says which environment variable to change, if it is one. */
function badSetting(message: string, from: string): Fault {
  return new Fault("config", message, from.startsWith("OPENCLAW_") ? { detail: { variable: from } } : {});
}

async function readOpenClawConfig(file: string): Promise<unknown> {
  try {
    // Synchronous: an asynchronous read would make the first order wait for the thread pool to start.
    const content = readFileSync(file, "utf8");
    const { readJson5 } = await import("../core/config/json5/read-json5.ts");
    return readJson5(content).value;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return {};
    throw new Fault("config", `Could not read OpenClaw's configuration ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** A string with `${NAME}` replaced from the environment, or a reference to a variable. OpenClaw's other secret stores are not read. */
function resolveSecret(value: unknown, env: Env): string | undefined {
  if (typeof value === "string") {
    return nonBlank(value.replace(/\$\{([A-Z_][A-Z0-9_]*)\}/g, (_, name: string) => env[name] ?? ""));
  }
  const { source, id } = asRecord(value);
  return source === "env" && typeof id === "string" ? nonBlank(env[id]) : undefined;
}
