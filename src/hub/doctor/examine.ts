import { join } from "node:path";
import { defaultConfig } from "../../core/config/find-config.ts";
import { checkNode } from "../../core/process/check-node.ts";
import { readVersion } from "../../core/version.ts";
import { mainTokenPath } from "../../doors/mcp/main-token.ts";
import { namedTokensPath } from "../../doors/mcp/named-tokens.ts";
import { readConfigOf } from "../active-config.ts";
import { findRunningHub } from "../hub-record.ts";
import { homePath } from "../open-home.ts";
import { findTrustProblem } from "../require-trust.ts";
import { checkConfig, checkTrust, type ConfigReading } from "./check-config.ts";
import { checkHome, checkSecretFile } from "./check-home.ts";
import { askHub, checkHub } from "./check-hub.ts";
import { checkOpenClaw } from "./check-openclaw.ts";
import { checkServers } from "./check-servers.ts";
import { checkSignIns } from "./check-sign-ins.ts";
import type { Finding } from "./finding.ts";
import type { Host } from "../host.ts";

export interface Examined extends Finding {
  readonly check: string;
}

/** The process that the doctor runs in: what it can't learn from a command's host. */
export interface Patient {
  readonly nodeVersion: string;
  /** Missing on Windows. */
  readonly uid: number | undefined;
}

/** Looks at everything and changes nothing: the home is not even opened, since that would mend it. */
export async function examine(host: Host, { nodeVersion, uid }: Patient): Promise<readonly Examined[]> {
  const folder = homePath(host);
  const home = { path: folder, file: (...parts: string[]) => join(folder, ...parts) };
  const reading: ConfigReading = await readConfigOf(host).then(
    (inForce) => ({ inForce }),
    (error: unknown) => ({ error }),
  );
  const inForce = "inForce" in reading ? reading.inForce : { config: defaultConfig };
  const { config, file } = inForce;

  const checks: Record<string, () => Finding[] | Promise<Finding[]>> = {
    node: () => checkNode(nodeVersion),
    home: () => checkHome(folder, uid),
    configuration: () => checkConfig(reading),
    trust: async () => checkTrust(file && (await findTrustProblem(home, file))),
    token: () => checkSecretFile(mainTokenPath({ home, env: host.env }), "token", uid),
    "named tokens": () => checkSecretFile(namedTokensPath({ home }), "named tokens", uid),
    hub: async () =>
      checkHub({
        running: await findRunningHub(home),
        host: config.hub.host,
        port: config.hub.port,
        version: readVersion(),
      }),
    servers: async () => ("error" in reading ? [] : checkServers(config.servers, host, await askHub(home, host.env))),
    "sign-ins": () => checkSignIns({ home, config, env: host.env, uid, log: host.log }),
    openclaw: () => checkOpenClaw(host),
  };
  const findings = await Promise.all(
    Object.entries(checks).map(async ([check, run]) => (await run()).map((finding) => ({ check, ...finding }))),
  );
  return findings.flat();
}
