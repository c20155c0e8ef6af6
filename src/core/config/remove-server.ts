import { readRawConfig, writeConfigText } from "./add-servers.ts";
import { removeJson5 } from "./remove-json5.ts";

/** Takes a server out of a configuration file and keeps everything else in it as a person wrote it. */
export async function removeServer(path: string, name: string): Promise<void> {
  const { text } = await readRawConfig(path);
  await writeConfigText(path, removeJson5(text, ["servers", name]));
}
