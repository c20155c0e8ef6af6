import { execFile } from "node:child_process";
import { mkdtempDisposable, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { startSecretService } from "./start-secret-service.ts";
import { program } from "../setup/programs.ts";

// Browsers, hubs and keyrings are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const programs = [
  await requireDebianPackage("dbus-daemon"),
  await requireDebianPackage("dbus-bin"),
  await requireDebianPackage("gnome-keyring"),
];
const hasKeyring = !programs.includes(undefined);
const child = program("tests/oauth/fixtures/store-child.ts");

const makeFolder = () => mkdtempDisposable(join(tmpdir(), "clawport-"));

async function run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [child, ...args], { env });
  return JSON.parse(stdout) as Record<string, unknown>;
}

test.skipIf(!hasKeyring)("a real secret service keeps the key, also over its own restart", async () => {
  await using folder = await makeFolder();
  await using service = await startSecretService();
  expect(await run(service.env, "write", folder.path, "abc")).toEqual({ token: "abc", kind: "keychain" });
  expect(await readdir(join(folder.path, "tokens"))).not.toContain("key");
  await service.restart();
  expect(await run(service.env, "read", folder.path)).toEqual({ token: "abc", kind: "keychain" });
});

test.skipIf(!hasKeyring)("processes that begin side by side agree on one key", async () => {
  await using folder = await makeFolder();
  await using service = await startSecretService();
  const found = await Promise.all(["a", "b", "c"].map((word) => run(service.env, "write", folder.path, word)));
  expect(found.map(({ kind }) => kind)).toEqual(["keychain", "keychain", "keychain"]);
  const { token } = await run(service.env, "read", folder.path);
  expect(["a", "b", "c"]).toContain(token);
});

test.skipIf(!hasKeyring)("what a secret service sealed stays as it is while there is none", async () => {
  await using folder = await makeFolder();
  await using service = await startSecretService();
  await run(service.env, "write", folder.path, "abc");
  const without = { PATH: process.env["PATH"] };
  expect(await run(without, "read", folder.path)).toMatchObject({ code: "unavailable" });
  expect(await run(without, "write", folder.path, "def")).toMatchObject({ code: "unavailable" });
  expect(await run(service.env, "read", folder.path)).toMatchObject({ token: "abc" });
});

test.skipIf(!hasKeyring)(
  "a secret service that is locked and can't ask its person is a fault, and nothing is lost",
  async () => {
    await using folder = await makeFolder();
    await using service = await startSecretService();
    await run(service.env, "write", folder.path, "abc");
    await service.restart("locked");
    expect(await run(service.env, "read", folder.path)).toMatchObject({ code: "unavailable" });
    expect(await readdir(join(folder.path, "tokens"))).not.toContain("key");
    await service.restart();
    expect(await run(service.env, "read", folder.path)).toMatchObject({ token: "abc" });
  },
);

test("without a secret service a key file does, and says why", async () => {
  await using folder = await makeFolder();
  const env = { PATH: process.env["PATH"] };
  expect(await run(env, "write", folder.path, "abc")).toMatchObject({ token: "abc", kind: "file" });
  expect(await readdir(join(folder.path, "tokens"))).toContain("key");
});

test("a bus on which nobody keeps secrets is no keychain", async () => {
  await using folder = await makeFolder();
  const env = { PATH: process.env["PATH"], DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder.path}/nobody` };
  expect(await run(env, "write", folder.path, "abc")).toMatchObject({ token: "abc", kind: "file" });
});

test("who wants no keychain gets none", async () => {
  await using folder = await makeFolder();
  const env = { PATH: process.env["PATH"], DBUS_SESSION_BUS_ADDRESS: "unix:path=/none", CLAWPORT_NO_KEYCHAIN: "1" };
  await run(env, "write", folder.path, "abc");
  expect(await run(env, "read", folder.path)).toMatchObject({ token: "abc", kind: "file" });
});
