import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { childEnv } from "../../../src/core/process/child-env.ts";
import type { RemoteControl } from "../../../src/hub/control/remote-control.ts";
import { makePlace, startHub } from "../../support/cli/run-clawport.ts";
import { controlAt } from "../../support/hub-socket.ts";
import { until } from "../../support/until.ts";
import { type RawClient, reachHub, startDirectly } from "./raw-client.ts";

interface StdioDefinition {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** One hub with all servers, and each of them without it, in the same folder and environment. */
export interface BothWays extends AsyncDisposable {
  direct(name: string): RawClient;
  /** Resolves as soon as the hub has connected the server; rejects with the reason if it can't. */
  hub(name: string): Promise<RawClient>;
  /** Where the servers may read and write. */
  readonly folder: string;
  readonly control: RemoteControl;
}

/** `files` is what the folder holds that the servers may read; they are told to stay in it. */
export async function openBothWays(
  define: (folder: string) => Readonly<Record<string, StdioDefinition>>,
  files: Readonly<Record<string, string>>,
): Promise<BothWays> {
  const place = await makePlace();
  const folder = path.join(place.folder, "files");
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  await mkdir(place.home, { mode: 0o700 });
  const defined = define(folder);
  const servers = Object.fromEntries(
    Object.entries(defined).map(([name, each]) => [name, { ...each, roots: [folder] }]),
  );
  const config = { servers, maxConcurrentServers: Object.keys(servers).length };
  await writeFile(path.join(place.home, "clawport.json5"), JSON.stringify(config), { mode: 0o600 });
  const running = await startHub(place, "--port", "0");
  const token = readFileSync(running.ready.tokenPath, "utf8").trim();
  const control = await controlAt(place.home);

  return {
    folder,
    control,
    direct(name) {
      const { command, args, env } = defined[name]!;
      const roots = [{ uri: `file://${folder}`, name: path.basename(folder) }];
      return startDirectly({ command, args, env: { ...childEnv(place.env), ...env }, cwd: place.folder, roots });
    },
    async hub(name) {
      await until(
        async () => {
          const { state, tools } = (await control.servers.list()).find((each) => each.name === name)!;
          if (state === "failed") throw new Error("the hub could not start it");
          return state === "ready" && tools > 0;
        },
        name,
        120_000,
      );
      return reachHub(new URL(`/mcp/${name}`, running.ready.url).href, token);
    },
    async [Symbol.asyncDispose]() {
      control.close();
      running.child.kill("SIGTERM");
      await running.ended;
      await place[Symbol.asyncDispose]();
    },
  };
}
