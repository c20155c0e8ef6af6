import type { Config } from "../../core/config/config-schema.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import type { World } from "../../core/process/world.ts";
import { readVersion } from "../../core/version.ts";
import type { RegisteredCapability } from "../../sources/machine/registry.ts";
import type { DoctorFinding } from "./finding.ts";

export interface MachineSurroundings extends Pick<World, "env" | "homedir" | "platform"> {
  readonly home: Home;
  readonly log: Log;
}

/** Which tools `clawport node` would have in these surroundings, and what would bring the others. */
export async function checkMachine(config: Config["machine"], subject: MachineSurroundings): Promise<DoctorFinding[]> {
  const { openMachine } = await import("../../sources/machine/open-machine.ts");
  const { env, homedir, platform, home, log } = subject;
  const machine = await openMachine({
    config,
    folder: home.file("machine"),
    session: "",
    env,
    platform,
    homedir,
    version: readVersion(),
    log,
    mcp: () => ({ listening: false }),
  });
  try {
    return findingsOf(machine.registry.list());
  } finally {
    await machine.source.close();
  }
}

/** One finding for each thing that is missing. A computer need not have all of them. */
function findingsOf(listed: readonly RegisteredCapability[]): DoctorFinding[] {
  const missing = new Map<string, { readonly tools: string[]; readonly fix: string | undefined }>();
  for (const { capability, availability } of listed) {
    if (availability.ok) continue;
    const { reason, fix } = availability;
    const group = missing.get(reason) ?? { tools: [], fix };
    group.tools.push(capability.name);
    missing.set(reason, group);
  }
  const usable = listed.filter(({ availability }) => availability.ok).length;
  return [
    { level: "ok", what: `${usable} of ${listed.length} tools of this computer can be used (\`clawport node\`)` },
    ...Array.from(missing, ([reason, { tools, fix }]): DoctorFinding => {
      const what = `no ${tools.join(", ")} on this computer: ${reason}`;
      return { level: "info", what, ...(fix !== undefined && { fix }) };
    }),
  ];
}
