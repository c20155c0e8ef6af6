import { readFileSync } from "node:fs";
import type { AgentFlags } from "../cli/agent-options.ts";
import { codeOf, Fault, messageOf } from "../core/fault.ts";
import { isListening } from "../core/http/is-listening.ts";
import { asRecord } from "../core/is-record.ts";
import type { World } from "../core/process/world.ts";
import { openclawPaths } from "./openclaw-paths.ts";

export interface LocatedGateway {
  readonly address: GatewayAddress;
  /** One that was named is wanted, there or not: falling back in silence would hide that it is down. */
  isThere(): Promise<boolean>;
}

/** The gateway that the flags, the environment or OpenClaw's own configuration name. */
export async function locateGateway(
  { env, homedir }: Pick<World, "env" | "homedir">,
  { gateway: url, token, password }: AgentFlags,
): Promise<LocatedGateway> {
  const address = await resolveGatewayAddress({ flags: { url, token, password }, env, homedir });
  const { host, port } = gatewayEndpoint(address);
  return { address, isThere: async () => address.stateFolder === undefined || isListening(host, port) };
}

type Env = Readonly<Record<string, string | undefined>>;

/** Where a gateway is and how to be let in. */
export interface GatewayAddress {
  readonly url: string;
  readonly token?: string | undefined;
  readonly password?: string | undefined;
  /** Which setting the address came from, for those who have to change it. */
  readonly from: string;
  /** The state folder of an OpenClaw on this machine; nothing where the gateway runs elsewhere. */
  readonly stateFolder?: string | undefined;
}

export interface GatewayFlags {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly password?: string | undefined;
}

export interface ResolveGatewayOptions {
  readonly flags?: GatewayFlags | undefined;
  readonly env: Env;
  readonly homedir: string;
}

/**
 * The same choice as OpenClaw's own programs make: an address that was named brings its credentials along and is never
 * sent those of the configuration, which belong to another gateway.
 */
export async function resolveGatewayAddress({
  flags = {},
  env,
  homedir,
}: ResolveGatewayOptions): Promise<GatewayAddress> {
  const envToken = text(env["OPENCLAW_GATEWAY_TOKEN"]);
  const envPassword = text(env["OPENCLAW_GATEWAY_PASSWORD"]);
  if (flags.url !== undefined) {
    return checked({ url: flags.url, token: flags.token, password: flags.password, from: "--gateway" });
  }
  const envUrl = text(env["OPENCLAW_GATEWAY_URL"]);
  if (envUrl !== undefined) {
    const token = flags.token ?? envToken;
    const password = flags.password ?? envPassword;
    return checked({ url: envUrl, token, password, from: "OPENCLAW_GATEWAY_URL" });
  }

  const { stateFolder, config: file } = openclawPaths(env, homedir);
  const gateway = asRecord(asRecord(await readOpenClawConfig(file))["gateway"]);
  const auth = asRecord(gateway["auth"]);
  const remote = asRecord(gateway["remote"]);
  const secret = (value: unknown): string | undefined => resolveSecret(value, env);
  const remoteUrl = secret(remote["url"]);
  if (gateway["mode"] === "remote" && remoteUrl !== undefined) {
    return checked({
      url: remoteUrl,
      token: flags.token ?? secret(remote["token"]) ?? envToken ?? secret(auth["token"]),
      password: flags.password ?? envPassword ?? secret(remote["password"]) ?? secret(auth["password"]),
      from: `gateway.remote.url in ${file}`,
    });
  }
  const envPort = text(env["OPENCLAW_GATEWAY_PORT"]);
  const port = envPort ?? number(gateway["port"]) ?? "18789";
  if (!isPort(port)) {
    const from = envPort === undefined ? `gateway.port in ${file}` : "OPENCLAW_GATEWAY_PORT";
    throw wrong(`${from} has to be a port from 1 to 65535.`, from);
  }
  const scheme = asRecord(gateway["tls"])["enabled"] === true ? "wss" : "ws";
  return checked({
    url: `${scheme}://127.0.0.1:${port}`,
    token: flags.token ?? secret(auth["token"]) ?? envToken ?? secret(remote["token"]),
    password: flags.password ?? secret(auth["password"]) ?? envPassword ?? secret(remote["password"]),
    from: envPort === undefined ? file : `OPENCLAW_GATEWAY_PORT and ${file}`,
    stateFolder,
  });
}

interface GatewayEndpoint {
  readonly host: string;
  readonly port: number;
  /** For a person: unlike the address as it is written, it holds no secrets. */
  readonly name: string;
}

/** Where a connection is made to. */
export function gatewayEndpoint(address: GatewayAddress): GatewayEndpoint {
  const { protocol, hostname, port: written } = new URL(address.url);
  const port = Number(written || (protocol === "wss:" ? 443 : 80));
  return { host: hostname.replaceAll(/[[\]]/g, ""), port, name: `${hostname}:${port}` };
}

function checked(address: GatewayAddress): GatewayAddress {
  const url = URL.parse(address.url);
  if (url?.protocol === "ws:" || url?.protocol === "wss:") return address;
  throw wrong(`The address of the gateway has to begin with ws:// or wss://; see ${address.from}.`, address.from);
}

function isPort(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

/** Whoever mends a setting has to know whether it is a variable. */
function wrong(message: string, from: string): Fault {
  return new Fault("config", message, from.startsWith("OPENCLAW_") ? { detail: { variable: from } } : {});
}

async function readOpenClawConfig(file: string): Promise<unknown> {
  try {
    // Not the asynchronous one: the first order would wait for the thread pool to come up, for a file of a few lines.
    const content = readFileSync(file, "utf8");
    const { readJson5 } = await import("../core/config/read-json5.ts");
    return readJson5(content).value;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return {};
    throw new Fault("config", `OpenClaw's configuration can't be read: ${messageOf(error)} (${file})`, {
      cause: error,
    });
  }
}

/** A text, `${NAME}` in it taken from the environment, or a reference to the environment. Other stores stay closed to us. */
function resolveSecret(value: unknown, env: Env): string | undefined {
  if (typeof value === "string") {
    return text(value.replace(/\$\{([A-Z_][A-Z0-9_]*)\}/g, (_, name: string) => env[name] ?? ""));
  }
  const { source, id } = asRecord(value);
  return source === "env" && typeof id === "string" ? text(env[id]) : undefined;
}

function text(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value.trim();
}

function number(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : undefined;
}
