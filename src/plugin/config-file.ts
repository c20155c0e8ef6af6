import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { ConfigEdit, OpenClawConfigRuntime } from "./openclaw-api.ts";

/** OpenClaw's own writer, beside the program that runs: from our place its package can't be found once we are disabled. */
const writerName = "openclaw/plugin-sdk/config-mutation";

type ConfigWriter = Pick<OpenClawConfigRuntime, "mutateConfigFile">;

/**
 * Changes OpenClaw's configuration file. A write through `api.runtime` counts as work of the plugin until OpenClaw has taken
 * up the change; to take it up, OpenClaw waits until the plugin has no work: it would wait for itself, five seconds each time.
 * So that way is used only where the writer can't be found.
 */
export async function writeConfig(edit: ConfigEdit, runtime?: ConfigWriter): Promise<void> {
  const writer = await findWriter().catch((error: unknown) => {
    if (runtime === undefined) throw error;
    return runtime;
  });
  await writer.mutateConfigFile(edit);
}

async function findWriter(): Promise<ConfigWriter> {
  return (await import(writerAddress())) as ConfigWriter;
}

function writerAddress(): string {
  try {
    return pathToFileURL(createRequire(realpathSync(process.argv[1] ?? "")).resolve(writerName)).href;
  } catch {
    return writerName;
  }
}
