import { countText } from "../../core/text/count-text.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { isListening } from "../../core/http/is-listening.ts";
import { sanitizeLine } from "../../core/text/peer-text.ts";
import { serverStateRow } from "../../core/server-states.ts";
import { findProgram } from "../../core/process/find-program.ts";
import { findCageMaker } from "../../core/process/cage/cage-maker.ts";
import { findNamespaceLauncher } from "../../core/process/pid-namespace.ts";
import type { World } from "../../core/process/world.ts";
import type { ServerStatus } from "../../sources/servers/server-status.ts";
import { listRemarks } from "../../sources/servers/list-remarks.ts";
import { isOpenState, stateText } from "../../sources/servers/server-text.ts";
import type { DoctorFinding } from "./finding.ts";
import { cureFor, readCageSurroundings } from "../../core/process/cage/refusal-cure.ts";

type ServerConfig = Config["servers"][string];
type Surroundings = Pick<World, "env" | "cwd" | "platform"> & {
  /** The file that has the servers. */
  readonly path?: string | undefined;
};

const timeoutMs = 3000;

/** Whether each configured server can be started or reached, and its state in a running hub. No server is started or sent anything. */
export async function checkServers(
  servers: Config["servers"],
  world: Surroundings,
  inHub: readonly ServerStatus[] = [],
  isTrusted = true,
): Promise<DoctorFinding[]> {
  const findings = await Promise.all(
    Object.entries(servers).map(async ([name, server]) => {
      const state = inHub.find((each) => each.name === name);
      if (state !== undefined && isOpenState(state)) return [stateFinding(state), ...listFindings(state)];
      const finding = await checkServer(name, server, world, isTrusted);
      // The finding about the configuration names the variable.
      const isKnown = state === undefined || state.state === "disabled" || state.state === "needs-variable";
      return isKnown ? [finding] : [finding, stateFinding(state)];
    }),
  );
  return findings.length === 0
    ? [{ level: "info", what: "no servers are configured", fix: "clawport import" }]
    : [...findings.flat(), ...(await checkNamespace(Object.values(servers), world))];
}

/** Where no cage can be made, a server can read Clawport's own keys. */
async function checkCage(env: World["env"]): Promise<DoctorFinding[]> {
  const { refusal } = await findCageMaker(env);
  if (refusal === undefined) return [];
  const what = `servers are not kept from Clawport's state folder, since this system refuses it: ${sanitizeLine(refusal)}`;
  return [{ level: "warn", what, fix: cureFor(refusal, readCageSurroundings()) }];
}

/** Where a server's process gets no PID namespace, something it starts may outlive it. */
async function checkNamespace(
  servers: readonly ServerConfig[],
  { env, platform }: Surroundings,
): Promise<DoctorFinding[]> {
  const isNeeded = servers.some(
    ({ enabled, transport, pidNamespace }) => enabled && transport === "stdio" && pidNamespace !== "off",
  );
  if (!isNeeded || platform !== "linux") return [];
  const cage = await checkCage(env);
  if ((await findNamespaceLauncher(env)) !== undefined) return cage;
  const what = "this system allows no PID namespaces: what a server starts may outlive it";
  return [{ level: "info", what, fix: "apt install bubblewrap  (if the system allows user namespaces)" }, ...cage];
}

function stateFinding(state: ServerStatus): DoctorFinding {
  const what = `server ${state.name} in the hub: ${sanitizeLine(stateText(state, { prefix: "clawport", now: Date.now }))}`;
  if (state.state === "ready" || state.state === "sleeping")
    return { level: "ok", what: `${what}, ${countText(state.tools, "tool")}` };
  const isFirst = state.state === "connecting" && state.lastError === undefined;
  const isWaiting = isFirst || state.state === "queued" || state.state === "disconnected";
  const fix = `clawport ${serverStateRow(state.state).remedy?.(state) ?? `status ${state.name}`}`;
  return { level: isWaiting ? "info" : "warn", what, fix };
}

function listFindings({ name, lists }: ServerStatus): readonly DoctorFinding[] {
  if (lists === undefined) return [];
  // What is held back is in the state folder, with a hub or without.
  const remarks = listRemarks({ ...lists, heldBack: 0 });
  return remarks.map((remark) => ({
    level: "warn",
    what: `server ${name}: ${remark}`,
    fix: `clawport status ${name}`,
  }));
}

async function checkServer(
  name: string,
  server: ServerConfig,
  world: Surroundings,
  isTrusted: boolean,
): Promise<DoctorFinding> {
  if (!server.enabled) return { level: "info", what: `server ${name} is disabled` };
  if (server.transport === "stdio") return checkCommand(name, server.command ?? "", world);
  const address = URL.parse(server.url ?? "");
  if (address === null)
    return { level: "fail", what: `server ${name} has no valid address`, fix: "clawport config check" };
  if (!isTrusted)
    return { level: "info", what: `server ${name} was not contacted, since the configuration is not trusted yet` };
  const port = Number(address.port) || (address.protocol === "https:" ? 443 : 80);
  if (await isListening(address.hostname.replaceAll(/[[\]]/g, ""), port, timeoutMs))
    return { level: "ok", what: `server ${name} is reachable at ${address.host}` };
  return {
    level: "warn",
    what: `server ${name} is not reachable at ${address.host}`,
    fix: `curl -v ${JSON.stringify(address.origin)}`,
  };
}

async function checkCommand(name: string, command: string, world: Surroundings): Promise<DoctorFinding> {
  const found = await findProgram(command, world);
  if (found !== undefined) return { level: "ok", what: `server ${name} runs ${found}` };
  return {
    level: "fail",
    what: `server ${name} runs ${JSON.stringify(command)}, which is not installed`,
    fix: `\${EDITOR:-vi} ${JSON.stringify(world.path ?? "")}  (correct servers.${name}.command, or install it)`,
  };
}
