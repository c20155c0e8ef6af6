import { readdir, readFile, stat } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { hashToken } from "../../../src/core/secrets/crypto.ts";
import { openTerminal } from "../../cli/terminal.ts";
import { clawport, makePlace, startHub } from "../../cli/run-clawport.ts";
import { runHere } from "../../cli/shelf.ts";
import { until } from "../../support/until.ts";
import { openEvents, send, signInAt, startConsoleHub } from "./console-hub.ts";

vi.setConfig({ testTimeout: 30_000 });

test("a link signs in once, with a cookie that scripts and other sites don't get, and leads to the page", async () => {
  await using hub = await startConsoleHub();
  const { url } = await hub.link();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/login\/[\w-]{43}#[\w-]{43}$/);
  const address = url.split("#")[0]!;
  const first = await send(address);
  expect(first).toMatchObject({ status: 303, headers: { location: "/console/", "referrer-policy": "no-referrer" } });
  expect(first.headers["cache-control"]).toBe("no-store");
  expect(first.headers["set-cookie"]).toEqual([
    expect.stringMatching(
      new RegExp(`^clawport-console-${hub.port}=[\\w-]{43}; Path=/console/; HttpOnly; SameSite=Strict; Max-Age=\\d+$`),
    ),
  ]);
  const second = await send(address);
  expect(second).toMatchObject({ status: 403, text: expect.stringContaining("clawport console") as string });
  expect(second.headers["set-cookie"]).toBeUndefined();
});

test("of two requests with one link at the same moment, one signs in", async () => {
  await using hub = await startConsoleHub();
  const address = (await hub.link()).url.split("#")[0]!;
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(address)));
  expect(answers.map(({ status }) => String(status)).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "303",
    ...Array<string>(7).fill("403"),
  ]);
});

test("an old link, an unknown code and a code that is none are refused", async () => {
  await using hub = await startConsoleHub();
  const { url } = await hub.link(true, Date.now() - 5 * 60_000);
  expect((await send(url.split("#")[0]!)).status).toBe(403);
  for (const code of ["A".repeat(43), "", "..%2f..%2fmcp-token.txt", "../../clawport.json5", "x".repeat(5000)])
    expect((await send(hub.address, { path: `/console/login/${code}` })).status).toBe(403);
});

test("fetching a link ahead, embedding it or asking only for its head does not use it up", async () => {
  await using hub = await startConsoleHub();
  const { url } = await hub.link();
  const address = url.split("#")[0]!;
  expect((await send(address, { headers: { "sec-purpose": "prefetch;prerender" } })).status).toBe(403);
  expect((await send(address, { headers: { purpose: "prefetch" } })).status).toBe(403);
  expect((await send(address, { headers: { "sec-fetch-dest": "iframe" } })).status).toBe(403);
  expect((await send(address, { method: "HEAD" })).status).toBe(405);
  expect((await send(address, { method: "POST" })).status).toBe(405);
  const browser = await signInAt(url);
  expect(await browser.ask("status.read")).toMatchObject({ version: "1.2.3" });
});

test("only hashes are kept, in files that only their owner can read", async () => {
  await using hub = await startConsoleHub();
  const { url } = await hub.link();
  const [, code = "", secret = ""] = /login\/([\w-]+)#([\w-]+)/.exec(url) ?? [];
  const folder = hub.home.file("console", "links");
  const [name = ""] = await readdir(folder);
  expect(name).toBe(`${hashToken(code)}.json`);
  expect(await readFile(`${folder}/${name}`, "utf8")).not.toContain(secret);
  expect((await stat(`${folder}/${name}`)).mode & 0o077).toBe(0);
  const { cookie } = await signInAt(url);
  const sessions = hub.home.file("console", "sessions.json");
  const kept = await readFile(sessions, "utf8");
  expect(kept).not.toContain(secret);
  expect(kept).not.toContain(cookie.split("=")[1]);
  expect((await stat(sessions)).mode & 0o077).toBe(0);
  expect(await readdir(folder)).toEqual([]);
});

test("a session outlives the hub; signing out, and a reset of the token, end it", async () => {
  await using hub = await startConsoleHub();
  const [one, other] = [await hub.signIn(), await hub.signIn()];
  await hub.restart();
  expect(await one.ask("status.read")).toMatchObject({ version: "1.2.3" });
  expect((await one.post("signOut")).status).toBe(200);
  expect((await one.post("status.read")).status).toBe(401);
  using events = await openEvents(other);
  const place = { folder: hub.folder, home: hub.home.path, env: { HOME: hub.folder, CLAWPORT_HOME: hub.home.path } };
  expect((await runHere({ ...place, [Symbol.asyncDispose]: async () => {} }, ["token", "reset"])).exit).toBe(0);
  await until(async () => (await other.post("status.read")).status === 401);
  await events.ended;
});

test("the session that resets the token goes on; all others end, and the old token is refused", async () => {
  await using hub = await startConsoleHub();
  const [one, other] = [await hub.signIn(), await hub.signIn()];
  const before = (await one.ask<{ token: string }>("machine.revealToken")).token;
  await one.ask("tokens.reset");
  await until(async () => (await other.post("status.read")).status === 401);
  const { token } = await one.ask<{ token: string }>("machine.revealToken");
  expect(token).not.toBe(before);
  const listed = (bearer: string) =>
    send(hub.mcpUrl, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", authorization: `Bearer ${bearer}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
  expect((await listed(before)).status).toBe(401);
  expect((await listed(token)).status).toBe(200);
});

test("`console` makes a link that may change things at a terminal, and only then", async () => {
  await using hub = await startConsoleHub();
  const env = { HOME: hub.folder, CLAWPORT_HOME: hub.home.path };
  const place = { folder: hub.folder, home: hub.home.path, env, [Symbol.asyncDispose]: async () => {} };
  const piped = await runHere(place, ["console", "--print"]);
  expect(piped).toMatchObject({ exit: 0, err: expect.stringContaining("not change anything") as string });
  const looking = await signInAt(piped.out.trim());
  expect((await looking.post("machine.revealToken")).status).toBe(403);
  const { world } = openTerminal();
  let shown = "";
  const stdout = { isTTY: true, write: (text: string) => (shown += text) };
  expect((await runHere(place, ["console", "--print"], { ...world, stdout })).exit).toBe(0);
  const person = await signInAt(shown.trim());
  expect((await person.post("machine.revealToken")).status).toBe(200);
});

test("without a hub `console` says how to start one; a running one names the command", async () => {
  await using place = await makePlace();
  const none = await clawport(place, "console", "--json");
  expect(none).toMatchObject({ exit: 69, out: expect.stringContaining("clawport up") as string });
  await using hub = await startHub(place, "--port", "0");
  const made = await clawport(place, "console", "--json");
  const { url, terminal } = JSON.parse(made.out) as { url: string; terminal: boolean };
  expect(terminal).toBe(false);
  const browser = await signInAt(url);
  expect(await browser.ask("status.read")).toMatchObject({ pid: hub.ready.pid });
});
