import { chmod, mkdtempDisposable, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Log } from "../../../../core/log.ts";
import type { Credentials, CredentialStore } from "./credentials.ts";
import type { FindKeychain } from "./key-storage.ts";
import { openCredentialStore, sealingKeysOf } from "./open-credential-store.ts";

const resource = new URL("https://mcp.example.com/mcp");
const noKeychain: FindKeychain = () => Promise.resolve({ missing: "none here" });

/** Keeps its secret in memory, as long as it is told to. */
function memoryKeychain(): { find: FindKeychain; held: { secret?: string; broken?: string } } {
  const held: { secret?: string; broken?: string } = {};
  const check = (): void => {
    if (held.broken !== undefined) throw new Error(held.broken);
  };
  const keychain = {
    get: async () => (check(), held.secret),
    set: async (secret: string) => (check(), void (held.secret = secret)),
  };
  return { held, find: () => Promise.resolve({ keychain }) };
}

async function openPlace() {
  const folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const lines: { message: string; fields: unknown }[] = [];
  const keep = (message: string, fields: unknown) => void lines.push({ message, fields });
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep, with: () => log };
  const home = { file: (...parts: string[]) => join(folder.path, ...parts) };
  const options = (env: Record<string, string> = {}, findKeychain = noKeychain) => ({ home, env, log, findKeychain });
  return {
    lines,
    home,
    options,
    store: (env?: Record<string, string>, findKeychain?: FindKeychain) =>
      openCredentialStore(options(env, findKeychain)),
    files: () => readdir(home.file("tokens")),
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

function record(server: string, accessToken = "access-1"): Credentials {
  const tokens = { issuer: "https://as.example.com", accessToken, tokenType: "Bearer", receivedAt: 1 };
  return { server, resource: resource.href, clients: {}, tokens };
}

const save = (store: CredentialStore, server = "one", token?: string) =>
  store.open(server, resource).change(() => record(server, token));

test("what is kept is read again by the next process, and nothing of it shows in the file", async () => {
  await using place = await openPlace();
  await save(place.store());
  expect(await place.store().open("one", resource).read()).toEqual(record("one"));
  const [file = ""] = (await place.files()).filter((name) => name.endsWith(".json"));
  const text = await readFile(place.home.file("tokens", file), "utf8");
  expect(text).not.toMatch(/access-1|example|one/);
  expect((await stat(place.home.file("tokens", file))).mode & 0o777).toBe(0o600);
  expect((await stat(place.home.file("tokens", "key"))).mode & 0o777).toBe(0o600);
});

test("two names for one address are two accounts", async () => {
  await using place = await openPlace();
  const store = place.store();
  await save(store, "work", "a");
  await save(store, "home", "b");
  expect((await store.open("work", resource).read())?.tokens?.accessToken).toBe("a");
  expect((await store.list()).map(({ server }) => server)).toEqual(["home", "work"]);
});

test("returning nothing forgets everything", async () => {
  await using place = await openPlace();
  const store = place.store();
  await save(store);
  await store.open("one", resource).change(() => undefined);
  expect(await store.open("one", resource).read()).toBeUndefined();
  expect((await place.files()).filter((name) => name.endsWith(".json"))).toEqual([]);
});

test("changes made side by side all count", async () => {
  await using place = await openPlace();
  const stores = [place.store(), place.store()];
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      stores[i % 2]!.open("one", resource).change((now = record("one")) => ({
        ...now,
        clients: { ...now.clients, [`c${i}`]: { client_id: `id-${i}` } },
      })),
    ),
  );
  expect(Object.keys((await stores[0]!.open("one", resource).read())?.clients ?? {})).toHaveLength(20);
});

test("a change that throws changes nothing", async () => {
  await using place = await openPlace();
  const store = place.store();
  await save(store);
  const failing = store.open("one", resource).change(() => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await store.open("one", resource).read()).toEqual(record("one"));
});

test.each([
  ["cut off", (text: string) => text.slice(0, 50)],
  ["not ours", () => `{"access_token": "x"}`],
  [
    "changed by one character",
    (text: string) =>
      text.replace(/("data":".)./, (_, head: string) => `${head}${text.includes(`${head}A`) ? "B" : "A"}`),
  ],
])("a file that is %s is set aside and reported, and a sign-in begins anew", async (_, damage) => {
  await using place = await openPlace();
  await save(place.store());
  const [name = ""] = (await place.files()).filter((each) => each.endsWith(".json"));
  const path = place.home.file("tokens", name);
  const damaged = damage(await readFile(path, "utf8"));
  await writeFile(path, damaged);
  expect(await place.store().open("one", resource).read()).toBeUndefined();
  const [aside = ""] = (await place.files()).filter((each) => each.includes(".damaged-"));
  expect(await readFile(place.home.file("tokens", aside), "utf8")).toBe(damaged);
  expect(place.lines.map(({ message }) => message)).toContain("set aside a stored sign-in that is damaged or foreign");
  await save(place.store());
  expect(await place.store().open("one", resource).read()).toEqual(record("one"));
});

test("a file that was copied over another server's does not open there", async () => {
  await using place = await openPlace();
  await save(place.store(), "one");
  const [one = ""] = (await place.files()).filter((each) => each.endsWith(".json"));
  await save(place.store(), "two", "of two");
  const [two = ""] = (await place.files()).filter((each) => each.endsWith(".json") && each !== one);
  await writeFile(place.home.file("tokens", two), await readFile(place.home.file("tokens", one)));
  expect(await place.store().open("two", resource).read()).toBeUndefined();
  expect(await place.store().open("one", resource).read()).toEqual(record("one"));
});

test("with a keychain the key is there and in no file", async () => {
  await using place = await openPlace();
  const { find, held } = memoryKeychain();
  await save(place.store({}, find));
  expect(held.secret).toMatch(/^[\w-]{43}$/);
  expect(await place.files()).not.toContain("key");
  expect(await place.store({}, find).open("one", resource).read()).toEqual(record("one"));
  expect(await sealingKeysOf(place.options({}, find)).describe()).toEqual({ kind: "keychain" });
});

test("a keychain that can't be reached any more is a fault, and the file stays as it is", async () => {
  await using place = await openPlace();
  const { find, held } = memoryKeychain();
  await save(place.store({}, find));
  held.broken = "it is locked";
  const reading = place.store({}, find).open("one", resource).read();
  await expect(reading).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("it is locked"),
  });
  await expect(save(place.store({}, find))).rejects.toMatchObject({ code: "unavailable" });
  expect(await place.store({}, find).list()).toEqual([]);
  delete held.broken;
  expect(await place.store({}, find).open("one", resource).read()).toEqual(record("one"));
});

test("a keychain that takes no secret is passed over for a key file", async () => {
  await using place = await openPlace();
  const find: FindKeychain = () =>
    Promise.resolve({ keychain: { get: async () => undefined, set: () => Promise.reject(new Error("read-only")) } });
  await save(place.store({}, find));
  expect(await place.files()).toContain("key");
  expect(await place.store({}, find).open("one", resource).read()).toEqual(record("one"));
});

test("a keychain that forgets what it took is passed over for a key file", async () => {
  await using place = await openPlace();
  const find: FindKeychain = () => Promise.resolve({ keychain: { get: async () => undefined, set: async () => {} } });
  await save(place.store({}, find));
  expect(await place.files()).toContain("key");
});

test("where a process without a keychain made a key file, one with a keychain uses it too", async () => {
  await using place = await openPlace();
  await save(place.store(), "one");
  const { find, held } = memoryKeychain();
  await save(place.store({}, find), "two");
  expect(held.secret).toBeUndefined();
  expect(await place.store().open("two", resource).read()).toEqual(record("two"));
});

test("a key in the keychain is not given up for a key file that another process made", async () => {
  await using place = await openPlace();
  const { find } = memoryKeychain();
  await save(place.store({}, find), "one");
  await save(place.store(), "two");
  await save(place.store({}, find), "one", "access-2");
  await expect(place.store().open("one", resource).read()).rejects.toMatchObject({ code: "unavailable" });
});

test("a passphrase seals, and only that passphrase opens", async () => {
  await using place = await openPlace();
  const env = { CLAWPORT_TOKENS_PASSPHRASE: "correct horse" };
  await save(place.store(env));
  expect(await place.files()).not.toContain("key");
  expect(await place.store(env).open("one", resource).read()).toEqual(record("one"));
  const wrong = place.store({ CLAWPORT_TOKENS_PASSPHRASE: "battery staple" }).open("one", resource);
  await expect(wrong.read()).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("another"),
  });
  await expect(place.store().open("one", resource).read()).rejects.toMatchObject({ code: "unavailable" });
  expect((await place.files()).filter((each) => each.includes(".damaged-"))).toEqual([]);
});

test("a passphrase that is set later takes the place of the key file at the next change", async () => {
  await using place = await openPlace();
  await save(place.store());
  const env = { CLAWPORT_TOKENS_PASSPHRASE: "correct horse" };
  expect(await place.store(env).open("one", resource).read()).toEqual(record("one"));
  await save(place.store(env), "one", "access-2");
  await expect(place.store().open("one", resource).read()).rejects.toMatchObject({ code: "unavailable" });
  expect(await sealingKeysOf(place.options(env)).describe()).toMatchObject({ kind: "passphrase" });
});

test("a key file that holds no key is never replaced", async () => {
  await using place = await openPlace();
  await save(place.store());
  await writeFile(place.home.file("tokens", "key"), "nonsense");
  await expect(save(place.store(), "two")).rejects.toMatchObject({ code: "corrupt" });
  expect(await readFile(place.home.file("tokens", "key"), "utf8")).toBe("nonsense");
});

test("a key file that others could read is closed to them", async () => {
  await using place = await openPlace();
  await save(place.store());
  await chmod(place.home.file("tokens", "key"), 0o644);
  await place.store().open("one", resource).read();
  expect((await stat(place.home.file("tokens", "key"))).mode & 0o777).toBe(0o600);
});
