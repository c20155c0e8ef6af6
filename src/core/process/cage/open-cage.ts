import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { Fault } from "../../fault.ts";
import { withDeadline } from "../../wait.ts";
import type { FullCage } from "./cage.ts";
import { cageDescriptors } from "./full-cage-words.ts";

const openMs = 15_000;

/** Waits until the cage is there, lets `onOpen` prepare it, and then starts the program in it. */
export async function openCage(child: ChildProcess, cage: Pick<FullCage, "onOpen">): Promise<void> {
  const info = child.stdio[cageDescriptors.info] as Readable;
  const block = child.stdio[cageDescriptors.block] as Writable;
  block.on("error", () => {});
  await withDeadline(openMs, new AbortController().signal, async () => {
    await cage.onOpen?.(await readInit(info));
  });
  block.end("x");
}

/**
 * The pid of the first process in there, as this process sees it. The rest of what bubblewrap says is read, too: it says it in
 * several pieces, and would be killed by writing one that has no reader.
 */
function readInit(info: Readable): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = "";
    info.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const [, pid] = /"child-pid":\s*(\d+)/.exec(text) ?? [];
      if (pid !== undefined) resolve(Number(pid));
    });
    info.once("error", reject);
    info.once("end", () => reject(notMade()));
  });
}

function notMade(): Fault {
  return new Fault("unavailable", "The server's sandbox could not be made. Run `clawport doctor` to see what helps.");
}
