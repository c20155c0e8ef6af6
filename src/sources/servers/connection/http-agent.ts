import { readFileSync } from "node:fs";
import { type AgentOptions, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { getCACertificates } from "node:tls";
import { Fault } from "../../../core/fault.ts";
import { isLoopbackHostname } from "../../../core/http/addresses.ts";

export interface TlsFiles {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly ca?: string | undefined;
}

/** Keeps connections to one server open between calls; client certificates and proxies of the environment included. */
export function createHttpAgent(url: URL, tls: TlsFiles, env: Readonly<Record<string, string | undefined>>): HttpAgent {
  // Node reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY itself when it is handed the environment (24.5, 22.21). What runs on
  // this machine no proxy can reach.
  const proxyEnv = isLoopbackHostname(url.hostname) ? {} : { ...env };
  const common: AgentOptions & { proxyEnv?: object } = { keepAlive: true, maxSockets: 256, proxyEnv };
  if (url.protocol !== "https:") return new HttpAgent(common);
  const own = readPem(tls.ca);
  const ca = own === undefined ? undefined : [...getCACertificates("default"), own.toString("utf8")];
  return new HttpsAgent({ ...common, cert: readPem(tls.cert), key: readPem(tls.key), ca });
}

function readPem(path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Fault("config", `The file ${JSON.stringify(path)} of the server's tls settings can't be read.`, {
      cause,
    });
  }
}
