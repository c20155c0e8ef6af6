import { mkdir, mkdtempDisposable, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHome } from "../../files/home.ts";
import { loadConfig } from "../load-config.ts";
import {
  type ConfigIdentity,
  identifyConfig,
  judgeTrust,
  needsTrust,
  readTrusted,
  rememberTrust,
  type TrustedConfigs,
} from "./trust.ts";

const risks = ["it starts commands", "it opens the hub"];

test("only a configuration in the working folder with risks must be trusted", () => {
  for (const location of ["flag", "working-folder", "state-folder"] as const)
    for (const each of [risks, []])
      expect(needsTrust(location, each)).toBe(location === "working-folder" && each.length > 0);
});

const known: ConfigIdentity = {
  path: "/a/clawport.json5",
  content: "text",
  files: { "server.mjs": "1", "b.mjs": "2" },
};
const trusted: TrustedConfigs = { hashes: ["old"], configs: [known] };

test("trust covers the folder, the text and the files; fewer files are no change", () => {
  expect(judgeTrust({ risks, identity: known, trusted })).toEqual({ pass: true });
  expect(judgeTrust({ risks, identity: { ...known, files: { "b.mjs": "2" } }, trusted })).toEqual({ pass: true });
});

test.each<[string, Partial<ConfigIdentity>, string]>([
  ["another file", { files: { "server.mjs": "9", "b.mjs": "2" } }, '"server.mjs" has changed since you trusted it. '],
  [
    "one file more",
    { files: { ...known.files, constructor: "3" } },
    '"constructor" has changed since you trusted it. ',
  ],
  ["another text", { content: "new" }, "The configuration in this folder has changed since you trusted it. "],
  ["another folder", { path: "/b/clawport.json5" }, 'You trusted the same text in "/a", but not in this folder. '],
  [
    "an old answer",
    { path: "/c/clawport.json5", content: "old" },
    "You trusted this text before, but not for this folder and the files it runs. ",
  ],
  ["nothing known", { path: "/c/clawport.json5", content: "new" }, "The configuration in this folder is new. "],
])("%s asks, and the reason says so", (_, change, why) => {
  const verdict = judgeTrust({ risks, identity: { ...known, ...change }, trusted });
  expect(verdict).toMatchObject({ pass: false, reason: expect.stringContaining(why) as string });
  expect(verdict).toMatchObject({
    reason: expect.stringMatching(
      /\. If you use this configuration, it starts commands; it opens the hub\. Review it, .*"b\.mjs".*, then trust it with `--trust`\.$/,
    ) as string,
  });
});

test("an identity is the folder's real path, the text, and the files that the commands run", async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const folder = await realpath(temporary.path);
  const [a, b] = [join(folder, "a"), join(folder, "b")];
  const text = '{servers:{x:{command:"node",args:["server.mjs"]},y:{command:"node",args:["other.mjs"]}}}';
  for (const each of [a, b]) {
    await mkdir(each);
    for (const file of ["server.mjs", "other.mjs"]) await writeFile(join(each, file), `${each} ${file}`);
  }
  await writeFile(join(a, "clawport.json5"), text);
  await symlink(join(a, "clawport.json5"), join(b, "clawport.json5"));
  await symlink(a, join(folder, "link"));
  const identify = async (at: string) =>
    identifyConfig(await loadConfig({ path: join(at, "clawport.json5"), env: {} }));
  const identity = await identify(a);
  expect(identity).toMatchObject({ path: join(a, "clawport.json5"), content: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(Object.keys(identity.files)).toEqual(["server.mjs", "other.mjs"]);
  expect(await identify(join(folder, "link"))).toEqual(identity);
  // The same file, but its commands run in another folder.
  expect(await identify(b)).toMatchObject({ path: join(b, "clawport.json5"), content: identity.content });
  const loaded = await loadConfig({ path: join(a, "clawport.json5"), env: {} });
  expect(await identifyConfig(loaded, [{ command: "node", args: ["other.mjs"] }])).toEqual({
    ...identity,
    files: { "other.mjs": identity.files["other.mjs"] },
  });
});

test("trust is remembered across processes, each once", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const home = await openHome(folder.path);
  const other = { ...known, path: "/b/clawport.json5" };
  expect(await readTrusted(home)).toEqual({ hashes: [], configs: [] });
  for (const each of [known, other, known]) await rememberTrust(home, each);
  expect(await readTrusted(home)).toEqual({ hashes: [], configs: [other, known] });
});

test("a list of hashes, as it was once written, is kept", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const home = await openHome(folder.path);
  await writeFile(home.file("trusted-configs.json"), '{"hashes":["old"]}');
  await rememberTrust(home, known);
  expect(await readTrusted(home)).toEqual(trusted);
});
