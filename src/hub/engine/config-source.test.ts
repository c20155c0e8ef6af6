import { mkdir, mkdtempDisposable, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig, type LoadedConfig } from "../../core/config/load-config.ts";
import { identifyConfig, rememberTrust } from "../../core/config/trust/trust.ts";
import { type Home, openHome } from "../../core/files/home.ts";
import { silentLog } from "../../core/log.ts";
import { readConfigAt } from "../state/active-config.ts";
import { configFile, type ConfigSource, watchedConfigFile } from "./config-source.ts";

interface Place extends AsyncDisposable {
  readonly home: Home;
  /** The folder's configuration. */
  readonly path: string;
  write(text: string): Promise<void>;
  writeOwner(text: string): Promise<void>;
  writeFile(name: string, text: string): Promise<void>;
  trust(): Promise<void>;
  open(create: typeof watchedConfigFile): Promise<ConfigSource>;
}

async function makePlace(): Promise<Place> {
  const made = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const top = await realpath(made.path);
  const home = await openHome(join(top, "state"));
  const path = join(top, "work", "clawport.json5");
  await mkdir(join(top, "work"));
  const place: Place = {
    home,
    path,
    write: (text) => writeFile(path, text),
    writeOwner: (text) => writeFile(home.file("clawport.json5"), text),
    writeFile: (name, text) => writeFile(join(top, "work", name), text),
    trust: async () => rememberTrust(home, await identifyConfig(await loadConfig({ path, env: {} }))),
    async open(create) {
      const configuration = await readConfigAt({ path, location: "working-folder" }, home, {});
      return create({ home, configuration, env: {}, log: silentLog });
    },
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
  return place;
}

const runs = (file: string, more = ""): string => `{servers:{x:{command:"node",args:["${file}"]}}${more}}`;
const command = { command: "node", args: ["server.mjs"] };
const untrusted = { code: "untrusted" };

test.each([
  ["read once", configFile],
  ["followed", watchedConfigFile],
])("a configuration that is %s faults if it is no longer what the user trusted", async (_, create) => {
  await using place = await makePlace();
  await place.write(runs("server.mjs"));
  await place.writeFile("server.mjs", "1");
  await place.trust();
  const source = await place.open(create);
  await source.checkCommand!(command);
  await place.writeFile("server.mjs", "2");
  await expect(source.checkCommand!(command)).rejects.toMatchObject(untrusted);
  await expect(source.read()).rejects.toMatchObject(untrusted);
  await place.trust();
  await source.checkCommand!(command);

  await place.write(runs("other.mjs"));
  await expect(source.read()).rejects.toMatchObject(untrusted);
  await place.trust();
  expect((await source.read()).config.servers["x"]?.args).toEqual(["other.mjs"]);
});

test("only the files of the command that is about to start matter then", async () => {
  await using place = await makePlace();
  await place.write('{servers:{x:{command:"node",args:["server.mjs"]},y:{command:"node",args:["other.mjs"]}}}');
  for (const name of ["server.mjs", "other.mjs"]) await place.writeFile(name, "1");
  await place.trust();
  const source = await place.open(configFile);
  await place.writeFile("other.mjs", "2");
  await source.checkCommand!(command);
  await expect(source.checkCommand!({ command: "node", args: ["other.mjs"] })).rejects.toMatchObject(untrusted);
});

test("an edit in a folder counts when it is trusted, and the owner's edits count at once", async () => {
  await using place = await makePlace();
  await place.write("{}");
  const source = await place.open(watchedConfigFile);
  const applied: LoadedConfig[] = [];
  const followed = source.follow!(async (loaded) => void applied.push(loaded));
  await place.write(runs("server.mjs", ',policy:{preset:"open"},audit:{enabled:false}'));
  await expect(followed.reload()).rejects.toMatchObject(untrusted);
  expect(applied).toEqual([]);
  await place.trust();
  await followed.reload();
  expect(applied.at(-1)?.config).toMatchObject({ servers: { x: {} }, audit: { enabled: true } });

  await place.writeOwner('{policy:{preset:"strict"},audit:{keep:9},servers:{own:{command:"own"}}}');
  await followed.reload();
  const { config } = applied.at(-1)!;
  expect(config).toMatchObject({ policy: { preset: "strict", folder: { preset: "open" } }, audit: { keep: 9 } });
  expect(Object.keys(config.servers)).toEqual(["x"]);

  await place.writeOwner("{nonsense");
  await expect(followed.reload()).rejects.toMatchObject({ code: "config" });
  expect(applied.at(-1)?.config).toBe(config);
  await followed.close();
});

test("an owner's configuration that can't be read stops every use of a folder's", async () => {
  await using place = await makePlace();
  await place.write("{}");
  await place.writeOwner("{nonsense");
  await expect(place.open(configFile)).rejects.toMatchObject({ code: "config" });
});
