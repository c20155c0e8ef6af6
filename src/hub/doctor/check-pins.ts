import { openPins } from "../../catalog/guard/pins.ts";
import { messageOf } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { sanitizeLine } from "../../core/text/peer-text.ts";
import type { ActiveConfig } from "../state/active-config.ts";
import { hubFiles } from "../state/hub-files.ts";
import type { DoctorFinding } from "./finding.ts";

const maxNames = 5;

/** What servers changed or added, and no one has approved or rejected yet. */
export async function checkPins(home: Home, { config, file }: ActiveConfig): Promise<DoctorFinding[]> {
  const folder = hubFiles.pins(home, file?.path);
  try {
    const held = await openPins({ folder, policy: config.policy }).list();
    const waiting = held.filter(({ state }) => state !== "refused");
    return [...Map.groupBy(waiting, ({ source }) => source)].map(([server, all]) => {
      const names = all.slice(0, maxNames).map(({ name }) => sanitizeLine(name));
      const rest = all.length - names.length;
      const list = [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
      return { level: "warn", what: `server ${server}: held back until you approve it: ${list}`, fix: "clawport pins" };
    });
  } catch (error) {
    return [{ level: "fail", what: `the pins can't be read: ${messageOf(error)}`, fix: `ls -l ${folder}` }];
  }
}
