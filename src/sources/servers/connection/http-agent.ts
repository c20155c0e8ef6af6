import { readFileSync } from "node:fs";
import { type AgentOptions, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { getCACertificates } from "node:tls";
import { Fault } from "../../../core/fault.ts";
import { isLoopbackHostname } from "../../../core/http/addresses.ts";
import type { Env } from "../../../core/process/child-env.ts";
import type { TlsFiles } from "../definition.ts";

/** Keeps connections to one server open between calls. Uses the client certificate and the proxy settings of `env`. */
export function createHttpAgent(url: URL, tls: TlsFiles, env: Env): HttpAgent {
  // Node reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY itself if it gets the environment (24.5, 22.21). A proxy can't reach
  // servers on this machine.
  const proxyEnv = isLoopbackHostname(url.hostname) ? {} : { ...env };
  const common: AgentOptions & { proxyEnv?: object } = { keepAlive: true, maxSockets: 256, proxyEnv };
  if (url.protocol !== "https:") return new HttpAgent(common);
  const extraCa = readPem(tls.ca);
  const ca = extraCa && [...getCACertificates("default"), extraCa.toString("utf8")];
  return new HttpsAgent({ ...common, cert: readPem(tls.cert), key: readPem(tls.key), ca });
}

function readPem(path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Fault("config", `Could not read the file ${JSON.stringify(path)} from the server's \`tls\` settings.`, {
      cause,
    });
  }
}
