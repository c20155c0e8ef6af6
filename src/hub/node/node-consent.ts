import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { formatMark } from "../../core/process/process-mark.ts";
import { type Consent, type ConsentGrant, openConsent } from "../../sources/machine/consent.ts";
import { allowsUnattendedApprovals, findConfigOf } from "../state/active-config.ts";
import { noApprover } from "../control/approvals.ts";
import type { Host } from "../state/host.ts";
import { findRunningProcess, type ProcessRecord } from "../state/hub-record.ts";
import { openHomeOf } from "../state/open-home.ts";

export interface AllowRequest {
  readonly capability: string;
  /** Only until the running node stops. */
  readonly session: boolean;
  /** Whether a person confirmed it at a terminal. */
  readonly confirmed: boolean;
}

/** Lets every caller use a capability. Under the same rules as the approval of a call. */
export async function allowCapability(host: Host, { capability, session, confirmed }: AllowRequest): Promise<void> {
  const home = await openHomeOf(host);
  requireName(capability);
  if (!confirmed && !(await allowsUnattendedApprovals(findConfigOf(host), home, host.env)))
    throw new Fault("denied", noApprover);
  const consent = openDecisions(home.file("machine", "consent.json"), host);
  if (!session) return consent.decide({ capability, choice: "always" });
  const running = await findRunningProcess(home);
  if (running === undefined)
    throw new Fault("unavailable", "No node is running. Run `clawport node` first, or leave `--session` out.");
  await consent.decide({ capability, choice: "always", session: markOf(running) });
}

function markOf({ pid, processStart: start, processPlace: place }: ProcessRecord): string {
  return formatMark({ pid, start, place });
}

/** What the user has decided about the tools of this computer; of decisions for a session, those of the running one. */
export async function listConsent(host: Host): Promise<readonly ConsentGrant[]> {
  const home = await openHomeOf(host);
  const running = await findRunningProcess(home);
  return openDecisions(home.file("machine", "consent.json"), host, running && markOf(running)).list();
}

/** Returns how many decisions there were. */
export async function forgetNodeConsent(host: Host, capability: string): Promise<number> {
  const home = await openHomeOf(host);
  return openDecisions(home.file("machine", "consent.json"), host).forget(capability);
}

function openDecisions(file: string, { log }: Pick<Host, "log">, session = ""): Consent {
  return openConsent({ file, modes: {}, session, log });
}

function requireName(capability: string): void {
  if (/^[a-z][A-Za-z0-9]*(?:\.[A-Za-z0-9]+){1,3}$/.test(capability)) return;
  throw new Fault("usage", `${quoted(capability, 100)} is not the name of a tool such as clipboard.read.`);
}
