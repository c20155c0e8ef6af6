import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Makes everything that servers have listed so far look as if it had been known for that long. */
export async function agePins(home: string, days = 8): Promise<void> {
  const folder = join(home, "guard", "pins");
  const at = new Date(Date.now() - days * 86_400_000).toISOString();
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".json")) continue;
    const { pins, ...rest } = JSON.parse(await readFile(join(folder, name), "utf8")) as { pins: object[] };
    await writeFile(join(folder, name), JSON.stringify({ ...rest, pins: pins.map((pin) => ({ ...pin, at })) }));
  }
}
