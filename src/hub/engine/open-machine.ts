import type { AuditEntry } from "../../catalog/audit/audit-line.ts";
import type { MachineConfig } from "../../core/config/machine-config.ts";
import { formatMark, ownMark } from "../../core/process/process-mark.ts";
import { createDesktopAsker } from "../../sources/machine/desktop-asker.ts";
import type { RecordingEvent } from "../../sources/machine/desktop/recordings.ts";
import { type OpenedMachine, openMachine } from "../../sources/machine/open-machine.ts";
import type { EngineParts } from "./engine-parts.ts";
import type { GuardedCatalog } from "./open-guard.ts";

export interface OpenMachineWiring extends Pick<GuardedCatalog, "askers" | "onCall" | "noteEvent" | "tellRecording"> {
  /** Where MCP clients reach this process, once the door is open. */
  httpAddress(): string | undefined;
}

/** This computer in a catalog. */
export interface OfferedMachine extends OpenedMachine {
  /** Takes its tools out of the catalog and ends what they run. */
  close(): Promise<void>;
}

/** Puts the tools of this computer into the catalog. Its desktop can be asked for approvals. */
export async function openConfiguredMachine(
  parts: EngineParts,
  config: MachineConfig,
  wiring: OpenMachineWiring,
): Promise<OfferedMachine> {
  const { home, env, homedir, version, log, catalog } = parts;
  const machine = await openMachine({
    config,
    folder: home.file("machine"),
    session: formatMark(ownMark("/proc")),
    env,
    platform: process.platform,
    homedir,
    version,
    log,
    onRecording(event) {
      if (event !== undefined) wiring.noteEvent(recordingLine(event));
      wiring.tellRecording();
    },
    mcp() {
      const address = wiring.httpAddress();
      return address === undefined ? { listening: false } : { listening: true, url: `${address}/` };
    },
  });
  const forget = wiring.onCall((entry) => machine.activity.record(entry));
  const asker = createDesktopAsker(machine.notifications, {
    openCall(id) {
      const address = wiring.httpAddress();
      return address === undefined ? undefined : () => openInConsole(address, id, env);
    },
  });
  await asker.probe();
  const withdraw = wiring.askers.add(asker);
  const remove = catalog.add({
    ...machine.source,
    async adviceOn(name, args, caller) {
      const advice = await machine.source.adviceOn?.(name, args, caller);
      if (advice?.verdict === "ask") await asker.find();
      return advice;
    },
  });
  const close = async (): Promise<void> => {
    for (const end of [forget, withdraw, remove]) end();
    await machine.source.close();
  };
  return { ...machine, close };
}

/** In the audit, the beginning and the end of a recording have lines of their own: one that was cut off by a crash has no end. */
function recordingLine({ kind, what, tool, caller, at, ms }: RecordingEvent): AuditEntry {
  const event = { at, caller, source: "machine", tool: `recording.${kind}`, verdict: "allow" } as const;
  return { ...event, why: `${tool}: ${what}`, ms, outcome: "ok", sizeIn: 0, sizeOut: 0 };
}

/** The page asks for a sign-in link if this browser has no session: a press of a button is no proof of who is there. */
async function openInConsole(address: string, id: string, env: EngineParts["env"]): Promise<void> {
  const { openBrowser } = await import("../sign-in/open-browser.ts");
  const url = new URL(`/console/approvals/${encodeURIComponent(id)}`, address);
  await openBrowser(url, { env, platform: process.platform });
}
