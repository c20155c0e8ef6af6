import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A session bus of its own. */
export async function startBus(): Promise<AsyncDisposable & { readonly address: string }> {
  const folder = await mkdtemp(join(tmpdir(), "bus-"));
  const options = ["--session", "--nofork", "--nopidfile", `--address=unix:path=${folder}/bus`, "--print-address=1"];
  const bus = spawn("dbus-daemon", options, { stdio: ["ignore", "pipe", "ignore"] });
  const [address] = (await once(createInterface({ input: bus.stdout }), "line")) as [string];
  return {
    address,
    async [Symbol.asyncDispose]() {
      bus.kill("SIGKILL");
      await once(bus, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
