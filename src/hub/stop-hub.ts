import { codeOf, Fault } from "../core/fault.ts";
import type { Home } from "../core/files/home.ts";
import { judgeMark, ownMark } from "../core/process/process-mark.ts";
import { sleep } from "../core/wait.ts";
import { findRunningProcess, type ProcessRecord } from "./state/hub-record.ts";

/** Longer than a hub gives the calls in progress, and its servers, to end. */
const patienceMs = 20_000;
const lookEveryMs = 50;

/** Ends the hub or the node of this state folder as Ctrl-C would, and waits until it is gone. Undefined if none is running. */
export async function stopHub(home: Home, signal: AbortSignal): Promise<ProcessRecord | undefined> {
  const hub = await findRunningProcess(home);
  if (hub === undefined) return undefined;
  const { pid } = hub;
  const which = hub.address === undefined ? "node" : `hub at ${hub.address}`;
  if (hub.host === "openclaw")
    throw new Fault(
      "conflict",
      `OpenClaw's gateway (PID ${pid}) keeps the servers of this state folder. Stop the gateway, or disable its plugin mcp-client.`,
    );
  const mark = { pid, start: hub.processStart, place: hub.processPlace };
  const own = ownMark("/proc");
  // Its process id means another process here.
  if (mark.place !== own.place)
    throw new Fault("unavailable", `The ${which} runs in another container or machine. Stop it there.`);
  sendStop(pid, which);
  const deadline = performance.now() + patienceMs + (typeof hub.drainMs === "number" ? hub.drainMs : 0);
  while (judgeMark(mark, own, "/proc") !== "dead") {
    if (performance.now() > deadline)
      throw new Fault("timeout", `The ${which} is still stopping. To end it at once, run \`kill -9 ${pid}\`.`);
    await sleep(lookEveryMs, signal);
  }
  return hub;
}

function sendStop(pid: number, which: string): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    // It ended by itself a moment ago.
    if (codeOf(error) === "ESRCH") return;
    throw new Fault("denied", `The ${which} (PID ${pid}) belongs to another user, who has to stop it.`, {
      cause: error,
    });
  }
}
