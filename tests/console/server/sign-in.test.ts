import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { hashToken } from "../../../src/core/secrets/crypto.ts";
import { createSignInLink } from "../../../src/doors/console/sign-in-link.ts";
import { findRunningHub } from "../../../src/hub/state/hub-record.ts";
import { openTerminal } from "../../support/cli/terminal.ts";
import { clawport, makePlace, startHub } from "../../support/cli/run-clawport.ts";
import { runHere } from "../../support/cli/test-home.ts";
import { until } from "../../support/until.ts";
import { openEvents, send, sendSignIn, signInAt, startConsoleHub } from "./console-hub.ts";

vi.setConfig({ testTimeout: 30_000 });

test("a link opens the page, and its secret signs in once, without a cookie", async () => {
  await using hub = await startConsoleHub();
  const { url } = await hub.link();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/login\/[\w-]{43}#[\w-]{43}$/);
  const page = await send(url.split("#")[0]!);
  expect(page.headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
  const first = await sendSignIn(url);
  expect(first).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
  expect([page, first].map(({ headers }) => headers["set-cookie"])).toEqual([undefined, undefined]);
  const second = await sendSignIn(url);
  expect(second).toMatchObject({ status: 403, text: expect.stringContaining("clawport console") as string });
  expect(second.text).not.toContain("session");
});

test("of two requests with one link at the same moment, one signs in", async () => {
  await using hub = await startConsoleHub();
  const { url } = await hub.link();
  const answers = await Promise.all(Array.from({ length: 8 }, () => sendSignIn(url)));
  expect(answers.map(({ status }) => String(status)).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "200",
    ...Array<string>(7).fill("403"),
  ]);
});

test("an old link, an unknown code and a code that is none are refused", async () => {
  await using hub = await startConsoleHub();
  const { url } = await hub.link(true, Date.now() - 5 * 60_000);
  expect((await sendSignIn(url)).status).toBe(403);
  for (const code of ["A".repeat(43), "", "..%2f..%2fmcp-token.txt", "../../clawport.json5", "x".repeat(1000)])
    expect((await sendSignIn(url, (body) => ({ ...body, code }))).status).toBe(403);
  expect((await sendSignIn(url, () => ({}))).status).toBe(400);
  expect((await sendSignIn(url, (body) => ({ ...body, nonce: "" }))).status).toBe(400);
});

test("who knows a link's code, but not its secret, can neither use it nor use it up", async () => {
  await using hub = await startConsoleHub();
  const { url } = await hub.link();
  expect((await sendSignIn(`${url.split("#")[0]}#${"A".repeat(43)}`)).status).toBe(403);
  expect((await sendSignIn(url, (body) => ({ ...body, nonce: "A".repeat(22) }))).status).toBe(403);
  // As many characters as the right one, but more bytes.
  expect((await sendSignIn(url, (body) => ({ ...body, proof: "é".repeat(43) }))).status).toBe(403);
  expect((await sendSignIn(url)).status).toBe(200);
});

test("a link that was made for another hub of the same state folder is refused", async () => {
  await using hub = await startConsoleHub();
  const running = await findRunningHub(hub.home);
  const others = [
    { ...running!, processStart: "1" },
    { ...running!, pid: 1 },
    { ...running!, address: `http://127.0.0.1:${hub.port + 1}` },
  ];
  for (const other of others) {
    const { url } = await createSignInLink({ home: hub.home, hub: other, terminal: true });
    const here = url.replace(other.address, hub.address);
    expect((await sendSignIn(here)).status).toBe(403);
  }
});

test("loading a link ahead, embedding it or asking only for its head does not use it up", async () => {
  await using hub = await startConsoleHub();
  const { url } = await hub.link();
  const address = url.split("#")[0]!;
  expect((await send(address, { headers: { "sec-purpose": "prefetch;prerender" } })).status).toBe(403);
  expect((await send(address, { headers: { purpose: "prefetch" } })).status).toBe(403);
  expect((await send(address, { headers: { "sec-fetch-dest": "iframe" } })).status).toBe(403);
  expect((await send(address, { method: "POST" })).status).toBe(405);
  const browser = await signInAt(url);
  expect(await browser.ask("status.read")).toMatchObject({ version: "1.2.3" });
});

test("only a hash is kept of a link, in a file that only its owner can read, and nothing of a session", async () => {
  await using hub = await startConsoleHub();
  const { url } = await hub.link();
  const [, code = "", secret = ""] = /login\/([\w-]+)#([\w-]+)/.exec(url) ?? [];
  const folder = hub.home.file("console", "links");
  const [name = ""] = await readdir(folder);
  expect(name).toBe(`${hashToken(code)}.json`);
  expect(await readFile(`${folder}/${name}`, "utf8")).not.toContain(secret);
  expect((await stat(`${folder}/${name}`)).mode & 0o077).toBe(0);
  await signInAt(url);
  expect(await readdir(folder)).toEqual([]);
  expect(await readdir(hub.home.file("console"))).toEqual(["links"]);
});

test("sessions that an earlier version kept are removed, and its page is told to get a new link", async () => {
  await using hub = await startConsoleHub();
  const file = hub.home.file("console", "sessions.json");
  await mkdir(hub.home.file("console"), { mode: 0o700 });
  const [cookie, secret] = ["C".repeat(43), "S".repeat(43)];
  const now = Date.now();
  const kept = {
    id: hashToken(cookie),
    secret: hashToken(secret),
    terminal: true,
    tokenKey: "",
    begun: now,
    used: now,
  };
  await writeFile(file, JSON.stringify([kept]));
  const answer = await send(`${hub.address}/console/api/events`, {
    headers: {
      cookie: `clawport-console-${hub.port}=${cookie}`,
      "x-clawport-console": secret,
      "sec-fetch-site": "same-origin",
    },
  });
  expect(answer.status).toBe(401);
  expect(JSON.parse(answer.text)).toEqual({
    error: { code: "unauthorized", message: expect.stringMatching(/earlier version.*`clawport console`/) as string },
  });
  await until(() => !existsSync(file));
});

test("a session ends with the hub, by signing out, and by a reset of the token", async () => {
  await using hub = await startConsoleHub();
  const before = await hub.signIn();
  await hub.restart();
  const ended = await before.post("status.read");
  expect(ended).toMatchObject({ status: 401, text: expect.stringContaining("clawport console") as string });
  // The new hub can't prove that it is the old one.
  expect(ended.headers["x-clawport-proof"]).toBeUndefined();
  const [one, other] = [await hub.signIn(), await hub.signIn()];
  expect((await one.post("signOut")).status).toBe(200);
  const out = await one.post("status.read");
  expect(out.status).toBe(401);
  // The page can tell that it was this hub that signed it out.
  expect(out.headers["x-clawport-proof"]).toBeDefined();
  expect((await one.reload().post("status.read")).status).toBe(401);
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
