import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clawport, makePlace, type Place, type RunningHub, startHub } from "../../support/cli/run-clawport.ts";
import { freePort } from "../../support/free-port.ts";

/** A user's home with a running hub that has the probe server. */
export interface HubWorld extends AsyncDisposable {
  readonly place: Place;
  readonly hub: RunningHub["ready"];
  /** Ends the hub as a crash would, and starts it again at the same address. */
  restart(): Promise<void>;
}

/** What users run: it starts faster than the source. */
const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

export async function openHubWorld(): Promise<HubWorld> {
  const place: Place = { ...(await makePlace()), main };
  const file = fileURLToPath(new URL("probe-server.ts", import.meta.url));
  await mkdir(place.home, { mode: 0o700 });
  const servers = { probe: { command: process.execPath, args: [file] } };
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify({ servers }));
  const port = String(await freePort());
  let running = await startHub(place, "--port", port);
  return {
    place,
    hub: running.ready,
    async restart() {
      await running[Symbol.asyncDispose]();
      running = await startHub(place, "--port", port);
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Installs the client and expects that to work. */
export async function installInto(place: Place, client: string): Promise<void> {
  const { exit, err } = await clawport(place, "install", client, "--yes");
  if (exit !== 0) throw new Error(`clawport install ${client} ended with ${exit}: ${err}`);
}

/** Pastes the entry for HTTP that `clawport clients` prints, as a user would. Returns the variable it needs. */
export async function pasteInto({ place, hub }: HubWorld, env: Place["env"], client: string): Promise<Place["env"]> {
  const { out } = await clawport({ ...place, env }, "clients", client, "--json");
  const { file, http } = JSON.parse(out) as { readonly file: string; readonly http: string };
  if (file.endsWith(".toml")) await appendFile(file, `\n${http}\n`);
  else {
    const present = JSON.parse(await readFile(file, "utf8").catch(() => "{}")) as object;
    await writeFile(file, JSON.stringify({ ...present, ...(JSON.parse(http) as object) }, undefined, 2));
  }
  return { CLAWPORT_TOKEN: (await readFile(hub.tokenPath, "utf8")).trim() };
}
