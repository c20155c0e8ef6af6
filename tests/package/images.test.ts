import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { makePlace, isWindows, listTools, startReady } from "../support/cli/run-clawport.ts";
import { runProgram } from "../support/cli/run-shell.ts";
import { root } from "./pack.ts";
import { replayDockerfile, type Stage } from "./replay-image.ts";

vi.setConfig({ testTimeout: 120_000 });

// The steps of the Dockerfile are written for a POSIX shell.
describe.skipIf(isWindows)("the images that the Dockerfile makes", () => {
  let folder: string;
  let stages: ReadonlyMap<string, Stage>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "image-"));
    const read = (name: string): Promise<string> => readFile(join(root, name), "utf8");
    stages = await replayDockerfile(await read("Dockerfile"), await read(".dockerignore"), folder);
  }, 900_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("neither has what only development needs, and both have the command on the path", async () => {
    for (const name of ["hub", "proxy"]) {
      const { folder: files } = stages.get(name)!;
      expect((await readdir(join(files, "app"))).toSorted()).toEqual([
        "LICENSE",
        "data",
        "dist",
        "node_modules",
        "package.json",
      ]);
      expect(existsSync(join(files, "app/node_modules/typescript"))).toBe(false);
      const version = await runProgram(join(files, "usr/local/bin/clawport"), ["--version"]);
      expect(version).toMatchObject({ exit: 0, out: expect.stringMatching(/\d+\.\d+/) });
    }
  });

  /** Starts the command of an image on a free port, with a state folder of its own. */
  const startImage = async (name: string, env: NodeJS.ProcessEnv = {}) => {
    const stage = stages.get(name)!;
    const place = await makePlace();
    const words = (keyword: string): string[] => JSON.parse(stage.instructions.get(keyword)!);
    const [, main, ...args] = [...words("ENTRYPOINT"), ...words("CMD")].map((word) => word.replace(/^8\d{3}$/, "0"));
    const inImage = {
      ...place,
      folder: join(stage.folder, stage.workdir),
      main: join(stage.folder, stage.workdir, main!),
      env: { ...place.env, ...env },
    };
    const running = await startReady<{ port: number; url?: string; tokenPath?: string }>(inImage, ...args, "--json");
    const [, script] = /CMD \["node", "-e", "(.*)"\]$/.exec(stage.instructions.get("HEALTHCHECK")!)!;
    const isHealthy = async (port = running.ready.port) => {
      const check = script!.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`);
      return (await runProgram(process.execPath, ["-e", check], { env: inImage.env })).exit === 0;
    };
    const dispose = async () => {
      await running[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    };
    return { ...running, isHealthy, [Symbol.asyncDispose]: dispose };
  };

  test("the hub's serves tools and its page, and its health check succeeds only while it does", async () => {
    await using hub = await startImage("hub");
    const { url, tokenPath } = hub.ready;
    expect(await listTools(url!, (await readFile(tokenPath!, "utf8")).trim())).toBe(200);
    expect(await hub.isHealthy()).toBe(true);
    expect(await hub.isHealthy(1)).toBe(false);
    expect(existsSync(join(stages.get("hub")!.folder, "app/dist/console/index.html"))).toBe(true);
  });

  test("the proxy's serves apps", async () => {
    await using proxy = await startImage("proxy", {
      OPENCLAW_PROXY_APP_TOKEN: "a",
      OPENCLAW_PROXY_OPENCLAW_TOKEN: "b",
    });
    expect(await (await fetch(`http://127.0.0.1:${proxy.ready.port}/health`)).text()).toBe("ok");
    expect(await proxy.isHealthy()).toBe(true);
  });
});
