import {
  chmod,
  mkdir,
  mkdtempDisposable,
  readdir,
  readFile,
  realpath,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHome } from "../../core/files/home.ts";
import { silentLog } from "../../core/log.ts";
import { listNamedTokens } from "../../doors/mcp/named-tokens.ts";
import { readClientToken, requireClientToken } from "./client-token.ts";
import { applyInstall, applyUninstall, planInstall, planUninstall, requireClient } from "./install-client.ts";

const isWindows = process.platform === "win32";

/** A user with an empty home folder. */
async function makeUser() {
  const folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const path = await realpath(folder.path);
  const home = await openHome(join(path, "state"));
  const machine = { homedir: path, platform: "linux", env: {} };
  const parts = { program: ["/bin/node", "/opt/main.js"], home: home.path };
  const options = { home, log: silentLog, now: new Date() };
  const cursor = requireClient("cursor");
  const file = join(path, ".cursor", "mcp.json");
  await mkdir(join(path, ".cursor"));
  return {
    file,
    home,
    options,
    plan: () => planInstall(cursor, machine, parts),
    planRemoval: () => planUninstall(cursor, machine),
    tokens: () => listNamedTokens({ home, log: silentLog }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("an entry and a token are made together and removed together; the file itself holds no token", async () => {
  await using user = await makeUser();
  await applyInstall(await user.plan(), user.options);
  const token = (await readClientToken(user.home, "cursor"))!.reveal();
  expect(Object.keys(await user.tokens())).toEqual(["cursor"]);
  const text = await readFile(user.file, "utf8");
  expect(JSON.parse(text).mcpServers.clawport.args).toContain("--as");
  expect(text).not.toContain(token);

  expect(await applyUninstall(await user.planRemoval(), user.options)).toMatchObject({ token: true });
  expect(JSON.parse(await readFile(user.file, "utf8"))).toEqual({ mcpServers: {} });
  expect(await user.tokens()).toEqual({});
  await expect(requireClientToken(user.options, "cursor")).rejects.toThrow("clawport install cursor");
});

test("a plan writes nothing and makes no token", async () => {
  await using user = await makeUser();
  const { diff } = await user.plan();
  expect(diff.every(({ mark }) => mark === "+")).toBe(true);
  expect(existsSync(user.file)).toBe(false);
  expect(await user.tokens()).toEqual({});
});

test("installing twice changes nothing the second time and keeps the token", async () => {
  await using user = await makeUser();
  await applyInstall(await user.plan(), user.options);
  const token = (await readClientToken(user.home, "cursor"))!.reveal();
  const again = await user.plan();
  expect(again.diff).toEqual([]);
  expect(await applyInstall(again, user.options)).toEqual({ backup: undefined, token: false });
  expect((await readClientToken(user.home, "cursor"))!.reveal()).toBe(token);
});

test.skipIf(isWindows)(
  "a new file is for its owner only, the mode of an old one stays, and its backup is private",
  async () => {
    await using fresh = await makeUser();
    await applyInstall(await fresh.plan(), fresh.options);
    expect((await stat(fresh.file)).mode & 0o777).toBe(0o600);

    await using user = await makeUser();
    const before = '{ "mcpServers": { "x": { "env": { "API_KEY": "s3cret-value" } } } }';
    await writeFile(user.file, before, { mode: 0o644 });
    const edit = await user.plan();
    expect(JSON.stringify(edit.diff)).not.toContain("s3cret-value");
    const { backup } = await applyInstall(edit, user.options);
    expect((await stat(user.file)).mode & 0o777).toBe(0o644);
    expect((await stat(backup!)).mode & 0o777).toBe(0o600);
    expect(await readFile(backup!, "utf8")).toBe(before);
  },
);

test.skipIf(isWindows)("a symbolic link stays a link, and the file behind it is changed", async () => {
  await using user = await makeUser();
  const target = join(user.home.path, "dotfile.json");
  await writeFile(target, "{}\n");
  await symlink(target, user.file);
  const edit = await user.plan();
  expect(edit.file.target).toBe(target);
  await applyInstall(edit, user.options);
  expect(await realpath(user.file)).toBe(target);
  expect(await readFile(target, "utf8")).toContain("clawport");
});

test.skipIf(isWindows)("a link that leads nowhere, a folder and a read-only file are refused", async () => {
  await using user = await makeUser();
  await symlink(join(user.home.path, "gone"), user.file);
  await expect(user.plan()).rejects.toThrow("leads nowhere");

  await using other = await makeUser();
  await mkdir(other.file);
  await expect(other.plan()).rejects.toThrow("must be a regular file");

  await using third = await makeUser();
  await writeFile(third.file, "{}");
  await chmod(third.file, 0o444);
  await expect(third.plan()).rejects.toThrow("read-only");
  expect(await third.tokens()).toEqual({});
});

test("a broken file is refused with its place and what to do", async () => {
  await using user = await makeUser();
  await writeFile(user.file, '{ "mcpServers": {');
  await expect(user.plan()).rejects.toThrow(
    /Could not change .*mcp\.json: .*Nothing was written.*clawport clients cursor/s,
  );
  expect(await readFile(user.file, "utf8")).toBe('{ "mcpServers": {');
});

test("what another program wrote after the question is never lost, and the new token is taken back", async () => {
  await using user = await makeUser();
  await writeFile(user.file, "{}");
  const edit = await user.plan();
  await writeFile(user.file, '{ "theme": "dark" }');
  await expect(applyInstall(edit, user.options)).rejects.toThrow("Run the command again");
  expect(await readFile(user.file, "utf8")).toBe('{ "theme": "dark" }');
  expect(await user.tokens()).toEqual({});
  expect(await readdir(join(user.home.path, "clients"))).not.toContain("cursor.token");
});

test("of two installs at the same time one wins, and the file holds one entry", async () => {
  await using user = await makeUser();
  await writeFile(user.file, "{}");
  const edits = await Promise.all([user.plan(), user.plan()]);
  const outcomes = await Promise.allSettled(edits.map((edit) => applyInstall(edit, user.options)));
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(Object.keys(JSON.parse(await readFile(user.file, "utf8")).mcpServers)).toEqual(["clawport"]);
  await requireClientToken(user.options, "cursor");
});

test("a name that is no client's gets a suggestion", () => {
  expect(() => requireClient("claude-cod")).toThrow('Did you mean "claude-code"?');
});
