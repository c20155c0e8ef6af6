import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHome } from "../../src/core/files/home.ts";
import { silentLog } from "../../src/core/log.ts";
import { findCage } from "../../src/hub/control/settings/try-sandbox.ts";
import { program } from "../setup/programs.ts";
import { startHub } from "../support/cli/run-clawport.ts";
import { placeWith, runHere } from "../support/cli/test-home.ts";
import { until } from "../support/until.ts";

const server = program("tests/sandbox/fixtures/hostile-server.ts");

/** A folder whose configuration refers to secrets of every kind that it may have. */
async function plant() {
  const place = await placeWith({});
  const asked = join(place.folder, "op-was-asked");
  // 1Password's command, as far as it is used.
  await writeFile(join(place.folder, "op"), `#!/bin/sh\ntouch ${asked}\nprintf vault-0123456789\n`, { mode: 0o755 });
  const env = { ...place.env, PATH: `${place.folder}:${process.env["PATH"]}`, CLAWPORT_NO_KEYCHAIN: "1" };
  const planted = { ...place, env };
  const configure = (more: Readonly<Record<string, string>>): Promise<void> => {
    const variables = { A: "${op://a/b/c}", PATH: "/usr/bin:/bin", ...more };
    const web = { command: process.execPath, args: [server, "{}"], env: variables };
    return writeFile(join(place.folder, "clawport.json5"), JSON.stringify({ servers: { web } }));
  };
  return Object.assign(planted, { asked, configure });
}

const missing = { B: "${file:/nowhere/at/all}", C: "${keychain:nothing}" };
const lookedUp = /does not exist|it is not set/;

test("no secret of a folder is looked up before its owner trusts it", { timeout: 120_000 }, async () => {
  await using place = await plant();
  await place.configure(missing);
  for (const line of [
    "config check",
    "config show",
    "doctor",
    "servers",
    "tools",
    "clients",
    "status",
    "up --port 0",
  ]) {
    const { out, err } = await runHere(place, line.split(" "));
    expect({ line, said: lookedUp.exec(out + err), asked: existsSync(place.asked) }).toEqual({
      line,
      said: null,
      asked: false,
    });
  }
  expect((await runHere(place, ["servers"])).err).toContain('it gives your secrets "op://a/b/c"');

  await runHere(place, ["servers", "--trust"]);
  expect(existsSync(place.asked)).toBe(true);
  expect((await runHere(place, ["config", "check"])).out).toMatch(lookedUp);
});

test("the first command that trusts a folder gives its server the secret itself", { timeout: 120_000 }, async () => {
  await using place = await plant();
  await place.configure({});
  const { out } = await runHere(place, ["call", "web__shell", "--trust", "--", '{"what":"echo $A"}']);
  expect(out).toContain("vault-0123456789");
});

test("secrets that an edit adds under a running hub wait for trust", { timeout: 120_000 }, async () => {
  await using place = await plant();
  await place.configure({});
  await using hub = await startHub(place, "--port", "0", "--trust");
  const seen = async (): Promise<string> =>
    (await runHere(place, ["call", "web__shell", "--", '{"what":"echo $A"}'])).out;
  await until(async () => (await seen()).includes("vault-0123456789"));
  await rm(place.asked);
  await place.configure({ A: "${op://other/b/c}" });
  await until(async () => (await runHere(place, ["doctor"])).out.includes("has changed since you trusted it"));
  await runHere(place, ["config", "reload"]);
  expect(existsSync(place.asked)).toBe(false);

  await runHere(place, ["servers", "--trust"]);
  await until(() => existsSync(place.asked));
  await until(async () => (await seen()).includes("vault-0123456789"));
  expect(hub.ready.pid).toBeGreaterThan(0);
});

test("a trial in a sandbox looks up no secret of a text that is not trusted", { timeout: 120_000 }, async () => {
  await using place = await plant();
  await place.configure({});
  const added = (await readFile(join(place.folder, "clawport.json5"), "utf8")).replace('"web"', '"new"');
  const draft = {
    path: join(place.folder, "clawport.json5"),
    location: "working-folder",
    text: added,
    name: "new",
  } as const;
  const host = { home: await openHome(place.home), env: place.env, homedir: place.folder, log: silentLog };
  const trial = findCage(draft, { ...host, signal: AbortSignal.timeout(60_000), accept: async () => false });
  await expect(trial).rejects.toThrow("looked up only in a configuration that you trust");
  expect(existsSync(place.asked)).toBe(false);
});
