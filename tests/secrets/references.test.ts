import { readFileSync } from "node:fs";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { startHub } from "../support/cli/run-clawport.ts";
import { type ConfiguredPlace, placeWith, runHere, shelf } from "../support/cli/test-home.ts";
import { program } from "../setup/programs.ts";
import { until } from "../support/until.ts";

const server = program("tests/sandbox/fixtures/hostile-server.ts");
const secrets = {
  keychain: "kept-0123456789",
  file: "filed-0123456789",
  cmd: "made-0123456789",
  op: "vault-0123456789",
};

/** A place with a secret of every kind, and a server that gets all of them. */
async function plant(): Promise<ConfiguredPlace> {
  const place = await placeWith({});
  await writeFile(join(place.folder, "token"), `${secrets.file}\n`, { mode: 0o600 });
  // 1Password's command, as far as it is used.
  await writeFile(join(place.folder, "op"), `#!/bin/sh\n[ "$3" = op://a/b/c ] && printf ${secrets.op}\n`, {
    mode: 0o755,
  });
  const env = { ...place.env, PATH: `${place.folder}:${process.env["PATH"]}`, CLAWPORT_NO_KEYCHAIN: "1" };
  const planted = { ...place, env };
  await keep(planted, "github", secrets.keychain);
  await planted.configure({
    web: {
      command: process.execPath,
      args: [server, "{}"],
      env: {
        A: "${keychain:github}",
        B: `\${file:${join(place.folder, "token")}}`,
        C: "Bearer ${cmd:echo made-0123456789}",
        D: "${op://a/b/c}",
        PATH: "/usr/bin:/bin",
      },
    },
    plain: { command: process.execPath, args: [server, "{}", "plain"] },
  });
  return planted;
}

async function keep(place: ConfiguredPlace, name: string, value: string): Promise<void> {
  const stdin = Object.assign(Readable.from([`${value}\n`]), { isTTY: false });
  expect((await runHere(place, ["secret", "set", name], { stdin })).exit).toBe(0);
}

async function seenBy(place: ConfiguredPlace): Promise<string> {
  const { out } = await runHere(place, ["call", "web__shell", "--", '{"what":"echo $A,$B,$C,$D"}']);
  return out.trim();
}

test("secrets of every kind reach the server, and nothing else", { timeout: 120_000 }, async () => {
  await using place = await plant();
  await using hub = await startHub(place, "--port", "0");
  await until(async () => (await runHere(place, ["servers"])).out.includes("Running"));
  const seen = await seenBy(place);
  expect(seen).toContain(`${secrets.keychain},${secrets.file},Bearer ${secrets.cmd},${secrets.op}`);

  const said: string[] = [];
  for (const line of ["servers", "status web", "config show", "config check", "doctor", "secret list", "logs web"])
    for (const flags of [[], ["--json"]])
      said.push(JSON.stringify(await runHere(place, [...line.split(" "), ...flags])));
  for (const file of await readdir(place.home, { recursive: true, withFileTypes: true }))
    if (file.isFile() && file.name !== "clawport.json5")
      said.push(await readFile(join(file.parentPath, file.name), "latin1"));
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name)))
    said.push(await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => ""));
  // The text of the configuration has one of them, in the command that prints it.
  const { keychain, file, op } = secrets;
  for (const value of [keychain, file, op]) expect(said.filter((text) => text.includes(value))).toEqual([]);
  expect(hub.ready.pid).toBeGreaterThan(0);
});

test(
  "a changed secret reaches its server without a restart, and no other server reconnects",
  { timeout: 120_000 },
  async () => {
    await using place = await plant();
    await using hub = await startHub(place, "--port", "0");
    const pidOf = async (name: string): Promise<number | undefined> => {
      const { out } = await runHere(place, ["status", name, "--json"]);
      return (JSON.parse(out) as { servers: { pid?: number }[] }).servers[0]?.pid;
    };
    await until(async () => (await pidOf("plain")) !== undefined && (await pidOf("web")) !== undefined);
    const plain = await pidOf("plain");
    await keep(place, "github", "rotated-0123456789");
    await until(async () => (await seenBy(place)).includes("rotated-0123456789"));
    expect(await pidOf("plain")).toBe(plain);
    expect(hub.ready.pid).toBeGreaterThan(0);
  },
);

test("what can't be resolved, or would be in the process list, switches its server off and is named", async () => {
  await using place = await placeWith({});
  const file = join(place.folder, "loose; touch x");
  await writeFile(file, "anyone-can-read");
  await chmod(file, 0o644);
  await place.configure({
    none: { command: "node", env: { A: "${keychain:nothing}" } },
    loose: { command: "node", env: { A: `\${file:${file}}` } },
    loud: { command: "node", env: { A: "${cmd:printf 'the token is %s' said-aloud-$((40+2)) >&2; exit 3}" } },
    shown: { command: "node", args: ["--token", "${keychain:nothing}"] },
    fine: shelf(),
  });
  const { out, err } = await runHere(place, ["config", "check"]);
  const text = out + err;
  expect(text).toContain("needs the secret keychain:nothing: it is not set; run `clawport secret set nothing`");
  expect(text).toContain(`others can read the file; run \`chmod 600 '${file}'\``);
  expect(text).toContain("which every user of this computer could read in `ps`; put it into `env`");
  expect(text).toContain("exited with code 3: that server is off");
  expect(text).not.toContain("said-aloud-42");
  const servers = (await runHere(place, ["servers"])).out;
  expect(servers).toContain("fine");
});

test("a folder's configuration can't run a command for a secret", async () => {
  await using place = await placeWith({});
  const marker = join(place.folder, "ran");
  const servers = { web: { command: "node", env: { A: `\${cmd:touch ${marker}; echo x}` } } };
  await writeFile(join(place.folder, "clawport.json5"), JSON.stringify({ servers }));
  const { out, err } = await runHere(place, ["config", "check"]);
  expect(out + err).toContain("only your own configuration may run commands");
  expect(() => readFileSync(marker)).toThrow("ENOENT");
});

test("secrets are listed by name, imported from a file and removed; their file holds none of them", async () => {
  await using place = await placeWith({});
  const own = { ...place, env: { ...place.env, CLAWPORT_NO_KEYCHAIN: "1" } };
  await writeFile(join(place.folder, ".env"), 'ONE=first-secret\nexport TWO="second secret"\nEMPTY=\n');
  const imported = await runHere(own, ["secret", "import", ".env"]);
  expect(imported.out).toContain("Saved 2 secrets. Write them as ${keychain:ONE} ${keychain:TWO}");
  expect((await runHere(own, ["secret", "list"])).out.trim()).toBe("ONE\nTWO");
  expect(await readFile(join(place.home, "secrets.json"), "utf8")).not.toMatch(/first-secret|second secret|ONE/);
  expect((await runHere(own, ["secret", "remove", "ONE"])).exit).toBe(0);
  expect((await runHere(own, ["secret", "remove", "ONE"])).err).toContain("There is no secret");
  expect((await runHere(own, ["secret", "list"])).out.trim()).toBe("TWO");
});
