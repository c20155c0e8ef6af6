import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { program } from "../setup/programs.ts";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { allowedWays } from "../servers/namespace-ways.ts";
import { installServer } from "../servers/real/install-server.ts";
import { clawport, makePlace, type Place } from "../support/cli/run-clawport.ts";

const bubblewrap = (await allowedWays()).find(({ name }) => name === "bubblewrap");
const limit = { timeout: 120_000 };
const needy = program("tests/sandbox/fixtures/needy-server.ts");

/** A user with notes, a key, and a file that the server reads. */
async function openPlace(
  servers: (place: Place, notes: string) => object,
): Promise<Place & { readonly notes: string }> {
  await requireDebianPackage("strace");
  const place = await makePlace();
  const notes = join(place.folder, "notes");
  for (const folder of [place.home, notes, join(place.folder, ".ssh"), join(place.folder, "settings")])
    await mkdir(folder, { mode: 0o700 });
  await writeFile(join(place.folder, ".ssh", "id_ed25519"), "a private key");
  await writeFile(join(place.folder, "settings", "needy.json"), "{}");
  await writeFile(join(notes, "hello.txt"), "hello");
  await writeFile(join(place.home, "mcp-token.txt"), "a token");
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify({ servers: servers(place, notes) }), {
    mode: 0o600,
  });
  return { ...place, notes };
}

const configOf = async (place: Place): Promise<string> => readFile(join(place.home, "clawport.json5"), "utf8");

test.runIf(bubblewrap)("what a server was refused becomes a proposal, and --yes writes it", limit, async () => {
  await using place = await openPlace((_, notes) => ({ needy: { command: process.execPath, args: [needy, notes] } }));
  const before = await configOf(place);
  const shown = await clawport(place, "sandbox", "try", "needy");
  expect(shown.out).toContain("needy works in this sandbox: 2 tools; list_things answered.");
  expect(shown.out).toMatch(/^\+\s+"~\/settings\/needy\.json",?$/m);
  expect(shown.out).toContain("Nothing was written.");
  expect(await configOf(place)).toBe(before);

  const { json } = await clawport(place, "sandbox", "try", "needy", "--yes", "--json").then(({ out }) => ({
    json: JSON.parse(out),
  }));
  expect(json).toMatchObject({
    works: true,
    written: true,
    proposal: {
      sandbox: { read: ["~/settings/needy.json"], write: ["~/notes"], network: ["api.example.invalid"] },
    },
  });
  // Whoever may read a key decides that for himself.
  expect(json.withheld).toEqual([expect.stringContaining(".ssh/id_ed25519: it may hold keys")]);
  expect(await configOf(place)).not.toContain(".ssh");
  const again = await clawport(place, "sandbox", "try", "needy", "--yes");
  expect(again.out).toContain("Nothing has to be changed.");
});

test.runIf(bubblewrap)("a published server gets the folder of its arguments, and works", limit, async () => {
  const [files, everything] = await Promise.all([installServer("filesystem"), installServer("everything")]);
  await using place = await openPlace((_, notes) => ({
    files: { command: process.execPath, args: [files.program, notes] },
    everything: { command: process.execPath, args: [everything.program] },
  }));
  const tried = await clawport(place, "sandbox", "try", "files", "--yes");
  expect(tried.out).toMatch(/files works in this sandbox: \d+ tools; list_allowed_directories answered/);
  expect(await configOf(place)).toMatch(/"?write"?:\s*\[\s*"~\/notes"/);
  await clawport(place, "sandbox", "try", "everything", "--yes");
  expect(await configOf(place)).toMatch(/"?sandbox"?:\s*"on"/);
  const { out } = await clawport(
    place,
    "call",
    "files__read_text_file",
    JSON.stringify({ path: join(place.notes, "hello.txt") }),
  );
  expect(out).toContain("hello");
});

test.runIf(bubblewrap)(
  "`connect --sandbox` and `import --sandbox` add a server with the sandbox it works in",
  limit,
  async () => {
    await using place = await openPlace(() => ({}));
    const line = ["--", process.execPath, needy, place.notes];
    const connected = await clawport(place, "connect", "--name", "needy", "--sandbox", "--yes", ...line);
    expect(connected.err + connected.out).toContain("needy works in this sandbox");
    expect(await configOf(place)).toMatch(/api\.example\.invalid/);

    const other = join(place.folder, "mcp.json");
    await writeFile(
      other,
      JSON.stringify({
        mcpServers: { second: { command: process.execPath, args: [needy, place.notes], env: { N: "2" } } },
      }),
    );
    const imported = await clawport(place, "import", "--from", other, "--sandbox", "--yes");
    expect(imported.out).toContain("second works in this sandbox");
    expect((await configOf(place)).match(/api\.example\.invalid/g)).toHaveLength(2);
  },
);

test.runIf(bubblewrap)("a command that `connect` tries for the first time is caged, too", limit, async () => {
  await using place = await openPlace(() => ({}));
  const env = ["--env", `STATE=${place.home}`];
  const { out } = await clawport(
    place,
    "connect",
    "--name",
    "needy",
    ...env,
    "--",
    process.execPath,
    needy,
    place.notes,
  );
  expect(out).toContain("list_things");
  expect(out).not.toContain("list_stolen");
});

test("what acts for the user is offered when a command is added, and setuid commands are named", limit, async () => {
  await using made = await openPlace(() => ({}));
  const place = { ...made, env: { ...made.env, DISPLAY: ":7", SSH_AUTH_SOCK: "/nowhere" } };
  const { out } = await clawport(place, "connect", "--name", "clip", "--force", "--", "mcp-clipboard");
  expect(out).toContain("clip seems to need your display");
  expect(out).toContain("--env 'DISPLAY=$DISPLAY'");
  const sudo = await clawport(place, "connect", "--name", "root", "--force", "--", "sudo", "mcp-thing");
  expect(sudo.out).toContain("sudo needs setuid programs, so root runs without a sandbox.");
});
