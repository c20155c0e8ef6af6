import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { until } from "../support/until.ts";
import { clawport, isWindows, makePlace, startHub } from "../support/cli/run-clawport.ts";

vi.setConfig({ testTimeout: 60_000 });

test.skipIf(isWindows)(
  "a configuration that other users can write is refused, with the command that mends it",
  async () => {
    await using place = await makePlace();
    const folder = join(place.folder, "own");
    await mkdir(folder);
    const file = join(folder, "c.json5");
    await writeFile(file, "{}");
    const check = (path = file) => clawport(place, "servers", "--config", path);
    expect(await check()).toMatchObject({ exit: 0 });

    await chmod(file, 0o666);
    const refused = await check();
    expect(refused.exit).toBe(77);
    expect(refused.err).toContain(`then run \`chmod go-w ${JSON.stringify(file)}\`.`);
    await chmod(file, 0o644);

    await chmod(folder, 0o777);
    expect((await check()).err).toContain(`then run \`chmod go-w ${JSON.stringify(folder)}\`.`);
    const link = join(place.folder, "link.json5");
    await symlink(file, link);
    expect((await check(link)).exit).toBe(77);
    await chmod(folder, 0o755);
    expect((await check(link)).exit).toBe(0);
  },
);

test.skipIf(isWindows)("a running hub keeps its configuration when another user could have edited it", async () => {
  await using place = await makePlace();
  await mkdir(place.home, { mode: 0o700 });
  const file = join(place.home, "clawport.json5");
  await writeFile(file, "{}");
  const said: string[] = [];
  await using _ = await startHub({ ...place, said }, "--port", "0");
  await chmod(file, 0o666);
  await writeFile(file, '{ servers: { evil: { command: "node", args: ["-e", "1"] } } }');
  await until(() => said.join("").includes("chmod go-w"));
  expect(said.join("")).toContain("can't be used; keeping the previous one");
  await chmod(file, 0o600);
  expect((await clawport(place, "servers", "--json")).out).toContain('"servers":[]');
});

test("a server with a name that Clawport itself uses is left out, and the hub starts", async () => {
  await using place = await makePlace();
  const listed =
    '{ "mcpServers": { "machine": { "command": "true" }, "agent": { "url": "https://example.com/mcp" } } }';
  await writeFile(join(place.folder, "mcp.json"), listed);
  const { out } = await clawport(place, "import", "--from", "mcp.json", "--json");
  expect(out).toContain('"machine-file"');
  const config = join(place.home, "clawport.json5");
  await writeFile(config, '{ servers: { machine: { command: "true" }, other: { command: "true" } } }');
  const checked = await clawport(place, "config", "check");
  expect(checked).toMatchObject({ exit: 0 });
  expect(checked.out).toContain("servers.machine has a name that Clawport itself uses; rename it");
  await using _ = await startHub(place, "--port", "0");
  const servers = await clawport(place, "servers", "--json");
  expect(servers.out).toContain('"other"');
  expect(servers.out).not.toContain('"machine"');
});
