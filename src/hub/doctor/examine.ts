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
import type { ActiveConfig } from "../state/active-config.ts";
import type { ListedTool } from "../control/queries/list-tools.ts";
import { findRunningHub, type HubRecord } from "../state/hub-record.ts";
import { findMissedRules } from "./missed-rules.ts";
import { findTrustProblem } from "../state/find-doubt.ts";
import { checkClients } from "./check-clients.ts";
import { checkConfig, checkTrust, type ConfigReading } from "./check-config.ts";
import { checkHome, checkSecretFile } from "./check-home.ts";
import { checkHub, type HubAnswer } from "./check-hub.ts";
import { checkMachine } from "./check-machine.ts";
import { checkOpenClaw } from "./check-openclaw.ts";
import { checkPins } from "./check-pins.ts";
import { checkSchemas } from "./check-schemas.ts";
import { checkServers } from "./check-servers.ts";
import { checkSignIns } from "./check-sign-ins.ts";
import type { Examined, DoctorFinding } from "./finding.ts";

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
  hubStatus(): Promise<HubAnswer | undefined>;
  /** Whether the running hub itself asks: then its own environment is looked at. */
  readonly isHub?: boolean;
  /** The configuration of the running hub; undefined if none runs, or if it does not answer. Absent if the hub asks. */
  readonly hubConfigPath?: () => Promise<string | undefined>;
  /** What the running hub finds itself; undefined if none runs, or if it does not answer. Absent if the hub asks. */
  readonly hubFindings?: () => Promise<readonly Examined[] | undefined>;
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

  const running = await findRunningHub(home);
  const status = await subject.hubStatus();
  // Each question to a hub that hangs would wait for as long again.
  const isSilent = status === "silent";
  const isHubs =
    subject.isHub === true || (!isSilent && file !== undefined && (await subject.hubConfigPath?.()) === file.path);

  const missedRules = async (): Promise<readonly ConfigProblem[]> =>
    file === undefined || !isHubs ? [] : findMissedRules(file, await subject.hubTools());

  const checks: Record<string, () => DoctorFinding[] | Promise<DoctorFinding[]>> = {
    node: () => checkNode(subject.nodeVersion),
    home: () => checkHome(home.path, uid),
    configuration: async () => checkConfig(reading, await missedRules(), (name) => setVariable(name, subject, running)),
    trust: () => checkTrust(distrust),
    token: () => checkSecretFile(mainTokenPath({ home, env }), "token", uid),
    "named tokens": () => checkSecretFile(namedTokensPath({ home }), "named tokens", uid),
    hub: async () =>
      checkHub({
        running,
        host: config.hub.host,
        port: config.hub.port,
        version: readVersion(),
        status,
      }),
    clients: () => checkClients(subject),
    servers: async () =>
      "error" in reading
        ? []
        : checkServers(
            config.servers,
            { ...subject, path: file?.path },
            isSilent ? [] : await subject.hubServers(),
            distrust === undefined,
          ),
    schemas: async () => checkSchemas(isSilent ? [] : await subject.hubTools()),
    pins: () => ("error" in reading ? [] : checkPins(home, reading.active)),
    "sign-ins": () => checkSignIns({ home, config, env, uid, log }),
    openclaw: () => checkOpenClaw(subject),
    "this computer": () => checkMachine(config.machine, subject),
  };
  const ofHub = isHubs ? await subject.hubFindings?.() : undefined;
  const findings = await Promise.all(
    Object.entries(checks).map(async ([check, run]) => {
      const inHub = hubsChecks.includes(check) ? ofHub?.filter((finding) => finding.check === check) : undefined;
      return inHub ?? (await run()).map((finding) => ({ check, ...finding }));
    }),
  );
  return findings.flat();
}

/** What depends on the environment is what a running hub finds in its own, not what the shell of a command has. */
const hubsChecks: readonly string[] = ["configuration", "servers", "openclaw"];

/** A running process keeps the environment that it was started with. */
function setVariable(name: string, { isHub, env, home }: Examination, running: HubRecord | undefined): string {
  if (isHub !== true) return `export ${name}=…`;
  if (running?.host === "openclaw")
    return `export ${name}=…  (where OpenClaw's gateway is started, then start it again)`;
  // Set by systemd.
  if (env["INVOCATION_ID"] !== undefined)
    return `echo '${name}=…' >> ${JSON.stringify(home.file("service.env"))} && systemctl --user restart clawport`;
  return `clawport stop && export ${name}=… && clawport up`;
}
