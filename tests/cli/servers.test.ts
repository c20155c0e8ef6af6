import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { clawport, makePlace, type Place } from "../support/cli/run-clawport.ts";
import { isAlive, placeWith, runHere, shelf } from "../support/cli/test-home.ts";

vi.setConfig({ testTimeout: 60_000 });

interface Shown {
  readonly hub: string | null;
  readonly servers: readonly { readonly name: string; readonly state: string; readonly pid?: number; tools: number }[];
}

/** Most tests run in this process; the first one shows that the program does the same. */
const here = (place: Place, ...argv: string[]) => runHere(place, argv);

test("without a hub, servers prints the status of each server and leaves no process behind", async () => {
  await using place = await placeWith({
    shelf: shelf("one"),
    gone: { command: "no-such-program" },
    remote: { url: "http://127.0.0.1:1/mcp", apiKey: "k" },
    off: { url: "https://example.com/mcp", enabled: false },
  });
  const { exit, out, err } = await clawport(place, "servers");
  expect(exit).toBe(0);
  expect(err).toContain("No hub is running, so these connections were closed again.");
  expect(err).toContain("Run `clawport up` ");
  expect(out).toMatch(/^NAME {4}STATUS +AUTH {5}TOOLS {2}ADDRESS\n/);
  expect(out).toMatch(/^shelf {3}Running \(PID \d+\) +None {5}7 {6}stdio:\/\/\S+ /m);
  expect(out).toMatch(/^gone {4}Reconnecting.* None {5}0 {6}stdio:\/\/no-such-program$/m);
  expect(out).toMatch(/^gone: Reconnecting.*: The command "no-such-program" was not found\./m);
  expect(out).toMatch(/^remote {2}Reconnecting.* API Key {2}0 {6}http:\/\/127\.0\.0\.1:1\/mcp$/m);
  expect(out).toMatch(/^off {5}Disabled +None/m);
  expect(out).toContain("off: Disabled (enabled: false)");

  const { hub, servers } = JSON.parse((await clawport(place, "servers", "--json")).out) as Shown;
  expect(hub).toBeNull();
  expect(servers).toMatchObject([
    { state: "ready" },
    { state: expect.stringContaining("connecting") },
    { state: expect.stringContaining("connecting") },
    { state: "disabled" },
  ]);
  expect(isAlive(servers[0]?.pid ?? process.pid)).toBe(false);
});

test("without a server, tools and status say how to add one, and speak of no connections", async () => {
  await using place = await placeWith({});
  for (const command of ["tools", "status"]) {
    const { exit, out, err } = await here(place, command);
    expect([exit, err]).toEqual([0, ""]);
    expect(out).toContain("No servers are configured. Run `clawport connect <address or command>` to add one.");
  }
});

test("tools lists names and first lines, status the details of one server, logs its output", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  expect((await here(place, "tools", "shelf")).out).toMatch(
    /^TOOL {12}DESCRIPTION\nshelf__put {6}Puts a thing on the shelf\.\nshelf__picture\n/,
  );
  const { tools } = JSON.parse((await here(place, "tools", "--json")).out);
  expect(tools[0]).toMatchObject({ name: "shelf__put", source: "shelf", inputSchema: { required: ["thing"] } });
  const { out, err } = await here(place, "status", "shelf");
  expect(err).toContain("No hub is running, so these connections were closed again.");
  expect((await here(place, "status", "shelf", "-q")).err).toBe("");
  expect(out).toMatch(/^shelf\n {2}Address {9}stdio:.*\n {2}Status {10}Running \(PID \d+\)\n/);
  expect(out).toMatch(
    /Server {10}shelf 1\.2\.3\n {2}Protocol {8}2026-07-28, stateless\n {2}Last heartbeat {2}\d s ago/,
  );
  expect((await here(place, "logs", "shelf")).out).toBe("shelf: open, as one\n");
  const unknown = await here(place, "status", "shelv");
  expect(unknown).toEqual({ exit: 3, out: "", err: 'clawport: There is no server "shelv". Did you mean "shelf"?\n' });
});

test("call converts its arguments by the schema and prints the answer", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  const call = (...words: string[]) => here(place, "call", "shelf__put", ...words);
  const typed = await call("thing=007", "count=3", "tags=a", "tags=b", "place.row=2");
  expect(JSON.parse(typed.out)).toEqual({ thing: "007", count: 3, tags: ["a", "b"], place: { row: 2 } });
  const asJson = JSON.parse((await call('{"thing":"x"}', "--json")).out);
  expect(asJson).toMatchObject({ content: [{ type: "text", text: '{"thing":"x"}' }] });
  expect(asJson).not.toHaveProperty("resultType");
  const wrong = await call("thing=x", "count=many");
  expect(wrong).toMatchObject({ exit: 2, err: 'clawport: count must be a whole number, not "many".\n' });
  const missing = await call("count=1");
  expect(missing.exit).toBe(2);
  expect(missing.err).toContain("clawport call shelf__put thing=<string> [count=<integer>]");
});

test("a misspelt argument that the schema allows is reported, in the error or in a warning beside the answer", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  const call = (...words: string[]) => here(place, "call", "shelf__put", ...words);
  const needed = await call("thng=x");
  expect(needed).toMatchObject({ exit: 2, out: "" });
  expect(needed.err).toContain('unknown argument "thng"; did you mean thing?');
  const extra = await call("thing=x", "cuont=2", "colour=red");
  expect([extra.exit, JSON.parse(extra.out)]).toEqual([0, { thing: "x", cuont: 2, colour: "red" }]);
  expect(extra.err).toContain('shelf__put: unknown argument "cuont"; did you mean count?');
  expect(extra.err).not.toContain("colour");
});

test("a tool that fails exits with 1, a picture becomes a file, and an unknown tool is answered with the nearest", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  expect(await here(place, "call", "shelf__fail")).toEqual({ exit: 1, out: "the shelf is full\n", err: "" });
  const { out } = await here(place, "call", "shelf__picture", "--save", "pictures");
  const [, file = ""] = /^(\S+) \(image\/png, 70 bytes\)\n$/.exec(out) ?? [];
  expect(file.startsWith(join(place.folder, "pictures", "shelf__picture-"))).toBe(true);
  expect((await readFile(file)).subarray(1, 4).toString()).toBe("PNG");
  const unknown = await here(place, "call", "put", "thing=x");
  expect(unknown).toMatchObject({ exit: 3, err: 'clawport: There is no tool "put". Did you mean shelf__put?\n' });
});

test("a missing tool is explained by the server it would belong to, and by no other", async () => {
  const off = { ...shelf("off"), enabled: false };
  const waiting = { ...shelf("waiting"), toolPrefix: "find", env: { KEY: "$NOT_SET" } };
  await using place = await placeWith({ shelf: shelf("one"), files: shelf("two"), search: waiting, off });
  const why = async (tool: string) => (await here(place, "call", tool, "-q")).err.trim().split("\n").at(-1);
  const none = (tool: string) => `clawport: There is no tool "${tool}". Run \`clawport tools\` to list them.`;
  expect(await why("find__x")).toBe(
    `${none("find__x")} These servers are not connected, so their tools are unknown: search (NOT_SET is not set in the environment).`,
  );
  expect(await why("off__x")).toBe(
    `${none("off__x")} These servers are not connected, so their tools are unknown: off (\`enabled: false\` in the configuration).`,
  );
  expect(await why("shelf__nothing_like_it")).toBe(none("shelf__nothing_like_it"));
});

test("connect adds a server and keeps the comments; disconnect --remove removes it again", async () => {
  await using place = await placeWith({});
  const file = join(place.home, "clawport.json5");
  await writeFile(file, "{\n  // mine\n  servers: {},\n}\n");
  const { command, args } = shelf("new");
  const added = await here(place, "connect", "--name", "shelf", "--env", "A=$HOME", "--", command, ...args);
  expect(added.exit).toBe(0);
  expect(added.out).toContain(`Added shelf to ${file}.\nshelf\n`);
  expect(added.out).toContain(
    "\nNext: `clawport clients` lists the programs that can use its tools, and `clawport rule add",
  );
  expect(added.out).toContain("shelf__put      Puts a thing on the shelf.");
  const text = await readFile(file, "utf8");
  expect(text).toContain("  // mine\n");
  expect(text).toContain('A: "$HOME"');

  const again = await here(place, "connect", "--name", "shelf", "--", command, "other");
  expect(again).toMatchObject({ exit: 1, out: "" });

  const removed = await here(place, "disconnect", "shelf", "--remove");
  expect(removed).toEqual({ exit: 0, out: `Removed shelf from ${file}.\n`, err: "" });
  expect(await readFile(file, "utf8")).toBe("{\n  // mine\n  servers: {\n  },\n}\n");
  expect(await here(place, "disconnect", "shelf", "--remove")).toMatchObject({ exit: 3 });
});

test("a key among a command's arguments is never shown, and a different key makes a different server", async () => {
  const { command, args } = shelf();
  await using place = await placeWith({ mine: { command, args: [...args, "--api-key", "hunter2hunter2"] } });
  for (const words of [["servers"], ["status", "mine"], ["servers", "--json"]]) {
    const { out } = await here(place, ...words);
    expect(out).toContain("--api-key [redacted]");
    expect(out).not.toContain("hunter2");
  }
  const other = await here(place, "connect", "--json", "--", command, ...args, "--api-key", "another");
  expect(JSON.parse(other.out)).toMatchObject({ added: join(place.home, "clawport.json5") });
});

test("connect tries a server before it adds it, unless --force is given", async () => {
  await using place = await placeWith({});
  const file = join(place.home, "clawport.json5");
  const before = await readFile(file, "utf8");
  const typo = await here(place, "connect", "no-such-program");
  expect(typo).toMatchObject({ exit: 69, out: "" });
  expect(typo.err).toMatch(/^clawport: The command "no-such-program" was not found\./);
  expect(typo.err).toContain("There is no server named no-such-program either; run `clawport servers` to list them.");
  expect(typo.err).toContain(`It was not added to ${file}. To add it anyway, run \`clawport connect --force …\`.`);
  const ends = await here(place, "connect", "--name", "ends", "--", process.execPath, "-e", "process.exit(3)");
  expect(ends.err).toContain("The server's process exited (exit code 3).");
  const said = "console.error('Invalid key sk-abcdefghijklmnop1234 given'); process.exitCode = 3";
  const telling = await here(place, "connect", "--name", "ends", "--", process.execPath, "-e", said);
  expect(telling.err).toContain('Its last output: "Invalid key [redacted] given');
  expect(telling.err).not.toContain("sk-");
  const crash = "throw new Error('no such folder: ' + 'notes')";
  const crashed = await here(place, "connect", "--name", "ends", "--", process.execPath, "-e", crash);
  expect(crashed.err).toMatch(/Its last output: "\S.* \/ Error: no such folder: notes \/ Node\.js v[^"\n]*"/);
  const nobody = await here(place, "connect", "http://127.0.0.1:1/mcp", "--json");
  expect(JSON.parse(nobody.out)).toMatchObject({ error: { code: "unavailable" } });
  expect(await readFile(file, "utf8")).toBe(before);

  const forced = await here(place, "connect", "--force", "no-such-program", "--json");
  expect(forced.exit).toBe(1);
  expect(JSON.parse(forced.out)).toMatchObject({
    added: file,
    name: "no-such-program",
    error: { code: "unavailable" },
  });
  expect((await here(place, "config", "check")).out).toContain("servers no-such-program");
});

test("connect adds a server that only needs a sign-in, or a variable that is not set", async () => {
  await using place = await placeWith({});
  const closed = createServer((_request, response) => void response.writeHead(401).end());
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as AddressInfo;
  const added = await here(place, "connect", "--name", "closed", `http://127.0.0.1:${port}/mcp`);
  expect(added.out).toContain("Added closed to ");
  closed.close();
  const { command, args } = shelf("one");
  const waits = await here(place, "connect", "--name", "waits", "--env", "KEY=$NOT_SET", "--", command, ...args);
  expect(waits.out).toContain("NOT_SET is not set in the environment");
  expect((await here(place, "servers", "--json")).out).toMatch(/"closed".*"waits"/);
});

test("connect refuses an unencrypted address with the reason, and writes nothing", async () => {
  await using place = await placeWith({});
  const before = await readFile(join(place.home, "clawport.json5"), "utf8");
  const refused = await here(place, "connect", "http://example.com/mcp");
  expect(refused.exit).toBe(2);
  expect(refused.err).toContain(
    '"http://example.com/mcp" must begin with https://; plain http is only for this machine',
  );
  expect(await readFile(join(place.home, "clawport.json5"), "utf8")).toBe(before);
});

test("a server that the configuration does not allow is refused with the reason, and not added", async () => {
  await using place = await placeWith({});
  const file = join(place.home, "clawport.json5");
  const before = await readFile(file, "utf8");
  const { command, args } = shelf("one");
  const reserved = await here(place, "connect", "--name", "agent", "--", command, ...args);
  expect(reserved.err).toContain("Clawport itself uses the name agent. Choose another name with --name.");
  const header = await here(place, "connect", "http://127.0.0.1:1/mcp", "--header", "a b: c");
  expect(header.err).toContain('headers["a b"]');
  expect([reserved.exit, header.exit]).toEqual([2, 78]);
  expect(await readFile(file, "utf8")).toBe(before);
});

test("only the server whose variable is not set is off, and its status names the variable", async () => {
  await using place = await placeWith({ shelf: shelf("one"), other: { ...shelf("two"), env: { KEY: "$SHELF_KEY" } } });
  const { out, exit } = await here(place, "servers");
  expect(exit).toBe(0);
  expect(out).toMatch(/^shelf  Running \(PID \d+\)/m);
  expect(out).toContain("other: Needs a variable: SHELF_KEY is not set in the environment\n");
  const refused = await here(place, "connect", "other");
  expect(refused.err).toContain("The server other is off: SHELF_KEY is not set in the environment.");
});

test("no server of an untrusted folder is started; servers that the user adds stay trusted", async () => {
  await using place = await makePlace();
  const file = join(place.folder, "clawport.json5");
  await writeFile(file, JSON.stringify({ servers: { shelf: shelf("one") } }));
  expect(await here(place, "call", "shelf__put", "thing=x")).toMatchObject({ exit: 77, out: "" });
  expect((await here(place, "call", "shelf__put", "thing=x", "--trust")).exit).toBe(0);
  const { command, args } = shelf("two");
  expect((await here(place, "connect", "--name", "two", "--", command, ...args)).exit).toBe(0);
  expect((await here(place, "call", "two__put", "thing=x")).exit).toBe(0);
});

test("disconnect without a hub says that it needs one", async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  const { exit, err } = await here(place, "disconnect", "shelf");
  expect(exit).toBe(69);
  expect(err).toContain("No hub is running");
  const unknown = await here(place, "disconnect", "shelves");
  expect([unknown.exit, unknown.err]).toEqual([3, 'clawport: There is no server "shelves". The servers are: shelf.\n']);
});

test("a sign-in to a server that does not answer says how to find out more", async () => {
  await using place = await placeWith({ dead: { url: "http://127.0.0.1:1/mcp" } });
  const { exit, err } = await here(place, "auth", "dead");
  expect(exit).toBe(69);
  expect(err).toContain("Run `clawport status dead` to see why.");
});
