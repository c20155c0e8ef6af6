import { spawnSync } from "node:child_process";
import { chmod, cp, mkdir, mkdtempDisposable, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { createLog } from "../../core/log.ts";
import { ensureMainToken, resetMainToken } from "./main-token.ts";
import { addNamedToken, listNamedTokens, removeNamedToken } from "./named-tokens.ts";
import { openTokens } from "./tokens.ts";

const main = { name: "main" };

test("the main token is created on first start, readable by its owner only, and kept across restarts", async () => {
  await using place = await makePlace();
  const first = await openTokens(place);
  first.close();
  const text = await readFile(place.path, "utf8");
  expect(text.trim()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect((await stat(place.path)).mode & 0o777).toBe(0o600);

  const second = await openTokens(place);
  expect(second.path).toBe(place.path);
  expect(second.match(text.trim())).toEqual(main);
  expect(second.match(text.trim().slice(1))).toBeUndefined();
  expect(second.match(`${text.trim().slice(1)}x`)).toBeUndefined();
  expect(second.match("")).toBeUndefined();
  second.close();
  expect(await readFile(place.path, "utf8")).toBe(text);
});

test("hubs that start together agree on one token", async () => {
  await using place = await makePlace();
  const made = await Promise.all(Array.from({ length: 5 }, () => ensureMainToken(place)));
  expect(new Set(made.map((token) => token.reveal())).size).toBe(1);
});

test.for(["", " \n"])("a token file that holds %j gets a new token at the next start", async (content) => {
  await using place = await makePlace();
  await writeFile(place.path, content);
  const tokens = await openTokens(place);
  expect(tokens.match((await readFile(place.path, "utf8")).trim())).toEqual(main);
  tokens.close();
});

test.for(["removed", "emptied"])(
  "a token file that is %s while the hub runs is created again, and the old token no longer works",
  async (how) => {
    await using place = await makePlace();
    const tokens = await openTokens({ ...place, checkEveryMs: 0 });
    const old = (await readFile(place.path, "utf8")).trim();
    if (how === "removed") await rm(place.path);
    else await writeFile(place.path, "");
    expect(tokens.match(old)).toBeUndefined();
    await expect.poll(() => readFile(place.path, "utf8").catch(() => "")).toMatch(/^[\w-]{43}\n$/);
    const renewed = (await readFile(place.path, "utf8")).trim();
    expect(renewed).not.toBe(old);
    expect(tokens.match(renewed)).toEqual(main);
    tokens.close();
  },
);

test("a token file that can't be read is a fault that says what to do, and is never replaced", async () => {
  await using place = await makePlace();
  await mkdir(place.path);
  await expect(openTokens(place)).rejects.toMatchObject({
    code: "io",
    message: expect.stringContaining(`remove it to get a new token`),
  });
  expect((await stat(place.path)).isDirectory()).toBe(true);
});

test("a token file that holds anything but a single token is a fault too", async () => {
  await using place = await makePlace();
  await writeFile(place.path, "two words");
  await expect(openTokens(place)).rejects.toMatchObject({
    code: "corrupt",
    message: expect.stringContaining("clawport token reset"),
  });
  expect(await readFile(place.path, "utf8")).toBe("two words");
});

test("if the file can no longer be read, the previous token stays valid", async () => {
  await using place = await makePlace();
  const tokens = await openTokens({ ...place, checkEveryMs: 0 });
  const token = (await readFile(place.path, "utf8")).trim();
  await rm(place.path);
  await mkdir(place.path);
  expect(tokens.match(token)).toEqual(main);
  expect(place.lines.join("")).toContain("keeping the previous token");
  tokens.close();
});

test("a token file that other users can read gets its permissions fixed, with a warning", async () => {
  await using place = await makePlace();
  await writeFile(place.path, "x".repeat(43));
  await chmod(place.path, 0o644);
  (await openTokens(place)).close();
  expect((await stat(place.path)).mode & 0o777).toBe(0o600);
  expect(place.lines.join("")).toContain("other users could read the token file");
});

test("the tray's variable moves the token file", async () => {
  await using place = await makePlace();
  const folder = join(place.folder, "tray");
  const tokens = await openTokens({ ...place, env: { OPENCLAW_TRAY_DATA_DIR: folder } });
  expect(tokens.path).toBe(join(folder, "mcp-token.txt"));
  expect(tokens.match((await readFile(tokens.path, "utf8")).trim())).toEqual(main);
  await expect(stat(place.path)).rejects.toThrow("ENOENT");
  tokens.close();
});

test("a reset by another process counts without a restart", async () => {
  await using place = await makePlace();
  const tokens = await openTokens(place);
  const old = (await readFile(place.path, "utf8")).trim();
  expect(tokens.match(old)).toEqual(main);
  const script = `
    import { resetMainToken } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "main-token.ts")).href)};
    const token = await resetMainToken({ home: { file: () => ${JSON.stringify(place.path)} } });
    process.stdout.write(token.reveal());`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(stdout).toMatch(/^[\w-]{43}$/);
  await expect.poll(() => [tokens.match(old), tokens.match(stdout)]).toEqual([undefined, main]);
  tokens.close();
});

test("a reset counts at the very next match once the last check is old enough", async () => {
  await using place = await makePlace();
  const tokens = await openTokens({ ...place, checkEveryMs: 0 });
  const old = (await readFile(place.path, "utf8")).trim();
  const renewed = await resetMainToken(place);
  expect([tokens.match(old), tokens.match(renewed.reveal())]).toEqual([undefined, main]);
  tokens.close();
});

test("a named token gives access to its view until it is removed, and only its hash is stored", async () => {
  await using place = await makePlace();
  const tokens = await openTokens({ ...place, checkEveryMs: 0 });
  const now = new Date("2030-01-02T03:04:05Z");
  const laptop = await addNamedToken(place, "laptop", { view: "files", now });
  const phone = await addNamedToken(place, "phone");
  expect(tokens.match(laptop.reveal())).toEqual({ name: "laptop", view: "files" });
  expect(tokens.match(phone.reveal())).toEqual({ name: "phone" });
  const file = await readFile(join(place.folder, "tokens.json"), "utf8");
  expect(file).not.toContain(laptop.reveal());
  expect(await listNamedTokens(place)).toMatchObject({
    laptop: { view: "files", created: now.toISOString() },
    phone: {},
  });

  await removeNamedToken(place, "laptop");
  expect(tokens.match(laptop.reveal())).toBeUndefined();
  expect(tokens.match(phone.reveal())).toEqual({ name: "phone" });
  expect(tokens.match((await readFile(place.path, "utf8")).trim())).toEqual(main);
  tokens.close();
});

test("a token for the metrics has that right and no view", async () => {
  await using place = await makePlace();
  const tokens = await openTokens({ ...place, checkEveryMs: 0 });
  const prometheus = await addNamedToken(place, "prometheus", { metrics: true });
  expect(tokens.match(prometheus.reveal())).toEqual({ name: "prometheus", metrics: true });
  expect(await listNamedTokens(place)).toMatchObject({ prometheus: { metrics: true } });
  const both = addNamedToken(place, "both", { metrics: true, view: "files" });
  await expect(both).rejects.toMatchObject({ code: "usage" });
  tokens.close();
});

test("named tokens are kept across restarts", async () => {
  await using place = await makePlace();
  const laptop = await addNamedToken(place, "laptop", { view: "files" });
  const tokens = await openTokens(place);
  expect(tokens.match(laptop.reveal())).toEqual({ name: "laptop", view: "files" });
  tokens.close();
});

test("a name can be used once, and misleading names are refused", async () => {
  await using place = await makePlace();
  await addNamedToken(place, "laptop");
  await expect(addNamedToken(place, "laptop")).rejects.toMatchObject({ code: "conflict" });
  await expect(removeNamedToken(place, "toString")).rejects.toMatchObject({ code: "not-found" });
  for (const name of ["main", "", "a b", "-x", "__proto__", "x".repeat(65)]) {
    await expect(addNamedToken(place, name)).rejects.toMatchObject({ code: "usage" });
  }
});

test("if the file of named tokens is damaged while the hub runs, the previous ones stay valid", async () => {
  await using place = await makePlace();
  const laptop = await addNamedToken(place, "laptop", { view: "files" });
  const tokens = await openTokens({ ...place, checkEveryMs: 0 });
  const badRight = JSON.stringify({ laptop: { hash: "0".repeat(64), created: "", metrics: "yes" } });
  for (const damaged of ["{", "[]", '{"laptop": {"hash": "00"}}', '{"laptop": {"hash": 1, "view": 2}}', badRight]) {
    await writeFile(join(place.folder, "tokens.json"), damaged);
    expect(tokens.match(laptop.reveal())).toEqual({ name: "laptop", view: "files" });
  }
  expect(place.lines.join("")).toContain("keeping the previous ones");
  expect(place.lines.join("")).not.toContain(laptop.reveal());
  tokens.close();
});

async function makePlace() {
  const folder = await mkdtempDisposable(join(tmpdir(), "clawport-tokens-"));
  const lines: string[] = [];
  return {
    folder: folder.path,
    path: join(folder.path, "mcp-token.txt"),
    home: { file: (...parts: string[]) => join(folder.path, ...parts) },
    log: createLog({ level: "debug", format: "human", write: (line) => lines.push(line) }),
    lines,
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

test("a token that is removed or replaced is reported by name, and no token has the key of another", async () => {
  await using place = await makePlace();
  const tokens = await openTokens({ ...place, checkEveryMs: 0 });
  const revoked: string[] = [];
  tokens.onRevoked((name) => revoked.push(name));
  await addNamedToken(place, "phone");
  await expect.poll(() => (tokens.match("x"), tokens.keyOf("phone"))).toMatch(/^[0-9a-f]{64}$/);
  const [mainKey, phoneKey] = [tokens.keyOf("main"), tokens.keyOf("phone")];
  expect(mainKey).not.toBe(phoneKey);
  await removeNamedToken(place, "phone");
  await expect.poll(() => (tokens.match("x"), revoked)).toEqual(["phone"]);
  expect(tokens.keyOf("phone")).toBeUndefined();
  await addNamedToken(place, "phone");
  await resetMainToken(place);
  await expect.poll(() => (tokens.match("x"), revoked)).toEqual(["phone", "main"]);
  expect(tokens.keyOf("phone")).not.toBe(phoneKey);
  expect(tokens.keyOf("main")).not.toBe(mainKey);
  tokens.close();
});

test("a removed token is reported without a request and without a notice of the file system", async () => {
  await using place = await makePlace();
  await addNamedToken(place, "phone");
  const tokens = await openTokens({ ...place, checkEveryMs: 60_000 });
  const revoked: string[] = [];
  tokens.onRevoked((name) => revoked.push(name));
  // Notices are about the folder that was there at the start.
  const folder = dirname(place.path);
  await rename(folder, `${folder}.old`);
  await cp(`${folder}.old`, folder, { recursive: true });
  await removeNamedToken(place, "phone");
  await expect.poll(() => revoked, { timeout: 10_000 }).toEqual(["phone"]);
  tokens.close();
  await rm(`${folder}.old`, { recursive: true });
});
