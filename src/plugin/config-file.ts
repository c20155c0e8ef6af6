import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { ConfigEdit, OpenClawConfigRuntime } from "./openclaw-api.ts";

/** Changes OpenClaw's configuration file after the plugin was disabled, when `api.runtime` no longer works. */
export async function writeOpenClawConfig(edit: ConfigEdit): Promise<void> {
  const { mutateConfigFile } = (await import(writerAddress())) as Pick<OpenClawConfigRuntime, "mutateConfigFile">;
  await mutateConfigFile(edit);
}

const writerName = "openclaw/plugin-sdk/config-mutation";

/** OpenClaw's own writer, beside the program that runs: from our place its package can't be found once we are disabled. */
function writerAddress(): string {
  try {
    return pathToFileURL(createRequire(realpathSync(process.argv[1] ?? "")).resolve(writerName)).href;
  } catch {
    return writerName;
  }
}
