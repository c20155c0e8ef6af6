import { formatMark, ownMark } from "../../core/process/process-mark.ts";
import { createDesktopAsker } from "../../sources/machine/desktop-asker.ts";
import { type OpenedMachine, openMachine } from "../../sources/machine/open-machine.ts";
import type { EngineParts } from "./engine-parts.ts";
import type { GuardedCatalog } from "./open-guard.ts";

export interface OpenMachineWiring extends Pick<GuardedCatalog, "askers" | "onCall"> {
  /** Where MCP clients reach this process, once the door is open. */
  httpAddress(): string | undefined;
}

/** Puts the tools of this computer into the catalog. Its desktop can be asked for approvals. */
export async function openConfiguredMachine(parts: EngineParts, wiring: OpenMachineWiring): Promise<OpenedMachine> {
  const { home, config, env, homedir, version, log, catalog, closers } = parts;
  const machine = await openMachine({
    config: config.machine,
    folder: home.file("machine"),
    session: formatMark(ownMark("/proc")),
    env,
    platform: process.platform,
    homedir,
    version,
    log,
    mcp() {
      const address = wiring.httpAddress();
      return address === undefined ? { listening: false } : { listening: true, url: `${address}/` };
    },
  });
  wiring.onCall((entry) => machine.activity.record(entry));
  const asker = createDesktopAsker(machine.notifications, {
    openCall(id) {
      const address = wiring.httpAddress();
      return address === undefined ? undefined : () => openInConsole(address, id, env);
    },
  });
  await asker.look();
  wiring.askers.add(asker);
  catalog.add({
    ...machine.source,
    async adviceOn(name, args, caller) {
      const advice = await machine.source.adviceOn?.(name, args, caller);
      if (advice?.verdict === "ask") await asker.find();
      return advice;
    },
  });
  closers.add("machine", () => machine.source.close());
  return machine;
}

/** The page asks for a sign-in link if this browser has no session: a press of a button is no proof of who is there. */
async function openInConsole(address: string, id: string, env: EngineParts["env"]): Promise<void> {
  const { openBrowser } = await import("../sign-in/open-browser.ts");
  const url = new URL(`/console/approvals/${encodeURIComponent(id)}`, address);
  await openBrowser(url, { env, platform: process.platform });
}
