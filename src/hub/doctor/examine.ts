import type { ConfigProblem } from "../../core/config/config-problem.ts";
import { defaultConfig } from "../../core/config/find-config.ts";
import { checkNode } from "../../core/process/check-node.ts";
import { readVersion } from "../../core/version.ts";
import { mainTokenPath } from "../../doors/mcp/main-token.ts";
import { namedTokensPath } from "../../doors/mcp/named-tokens.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import type { World } from "../../core/process/world.ts";
import type { ServerStatus } from "../../sources/servers/server-status.ts";
import type { ActiveConfig } from "../active-config.ts";
import type { HubStatus, ListedTool } from "../control/hub-control.ts";
import { findRunningHub } from "../hub-record.ts";
import { findMissedRules } from "./missed-rules.ts";
import { findTrustProblem } from "../require-trust.ts";
import { checkClients } from "./check-clients.ts";
import { checkConfig, checkTrust, type ConfigReading } from "./check-config.ts";
import { checkHome, checkSecretFile } from "./check-home.ts";
import { checkHub } from "./check-hub.ts";
import { checkMachine } from "./check-machine.ts";
import { checkOpenClaw } from "./check-openclaw.ts";
import { checkPins } from "./check-pins.ts";
import { checkSchemas } from "./check-schemas.ts";
import { checkServers } from "./check-servers.ts";
import { checkSignIns } from "./check-sign-ins.ts";
import type { Examined, Finding } from "./finding.ts";

/** What is examined: a set-up, as the process sees it that asks. */
export interface Examination extends Pick<World, "env" | "cwd" | "homedir" | "platform"> {
  readonly home: Home;
  readonly log: Log;
  readonly nodeVersion: string;
  /** Absent on Windows. */
  readonly uid: number | undefined;
  readConfig(): Promise<ActiveConfig>;
  /** The servers of the running hub; empty if none runs, or if it does not answer. */
  hubServers(): Promise<readonly ServerStatus[]>;
  /** Undefined if no hub runs, or if it does not answer. */
  hubStatus(): Promise<Pick<HubStatus, "refusedTokens" | "auditLoss"> | undefined>;
  /** The configuration of the running hub; undefined if none runs, or if it does not answer. Absent if the hub asks. */
  readonly hubConfigPath?: () => Promise<string | undefined>;
  /** The tools of the running hub; empty if none runs, or if it does not answer. */
  hubTools(): Promise<readonly ListedTool[]>;
}

/** Looks at everything and changes nothing. `home` need not exist. */
export async function examine(subject: Examination): Promise<readonly Examined[]> {
  const { home, env, uid, log } = subject;
  const reading: ConfigReading = await subject.readConfig().then(
    (active) => ({ active }),
    (error: unknown) => ({ error }),
  );
  const { config, file } = "active" in reading ? reading.active : { config: defaultConfig };
  const distrust = file && (await findTrustProblem(home, file));

  const missedRules = async (): Promise<readonly ConfigProblem[]> =>
    file === undefined || (subject.hubConfigPath && (await subject.hubConfigPath()) !== file.path)
      ? []
      : findMissedRules(file, await subject.hubTools());

  const checks: Record<string, () => Finding[] | Promise<Finding[]>> = {
    node: () => checkNode(subject.nodeVersion),
    home: () => checkHome(home.path, uid),
    configuration: async () => checkConfig(reading, await missedRules()),
    trust: () => checkTrust(distrust),
    token: () => checkSecretFile(mainTokenPath({ home, env }), "token", uid),
    "named tokens": () => checkSecretFile(namedTokensPath({ home }), "named tokens", uid),
    hub: async () =>
      checkHub({
        running: await findRunningHub(home),
        host: config.hub.host,
        port: config.hub.port,
        version: readVersion(),
        status: await subject.hubStatus(),
      }),
    clients: () => checkClients(subject),
    servers: async () =>
      "error" in reading
        ? []
        : checkServers(config.servers, subject, await subject.hubServers(), distrust === undefined),
    schemas: async () => checkSchemas(await subject.hubTools()),
    pins: () => ("error" in reading ? [] : checkPins(home, reading.active)),
    "sign-ins": () => checkSignIns({ home, config, env, uid, log }),
    openclaw: () => checkOpenClaw(subject),
    "this computer": () => checkMachine(config.machine, subject),
  };
  const findings = await Promise.all(
    Object.entries(checks).map(async ([check, run]) => (await run()).map((finding) => ({ check, ...finding }))),
  );
  return findings.flat();
}
