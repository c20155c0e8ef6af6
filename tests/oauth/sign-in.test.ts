import { expect, test, vi } from "vitest";
import { runHere } from "../support/cli/test-home.ts";
import { startAuthorizationServer } from "../support/oauth/authorization-server.ts";
import { createVisitor } from "../support/oauth/consent.ts";
import { openOAuthPlace } from "./open-oauth-place.ts";

// Browsers, hubs and keyrings are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

test("`auth` opens the browser, takes it back, keeps the tokens, and the tools are there", async () => {
  await using bench = await openOAuthPlace();
  const { exit, answer } = await bench.runWithBrowser("consent", "auth", "one");
  expect(answer).toMatchObject({
    server: "one",
    signedIn: true,
    scope: "mcp:read",
    issuer: bench.authority.issuer,
    tools: 2,
  });
  expect(exit).toBe(0);
  expect(bench.shown()).toMatch(/^200 [\s\S]*Signed in to one[\s\S]*close this tab/);
  const { answer: called } = await bench.run("call", "one__read");
  expect(JSON.stringify(called)).toContain("read with mcp:read");
  expect(bench.authority.grants).toEqual(["authorization_code"]);
  const { out } = await runHere(bench.place, ["servers"]);
  expect(out).toMatch(/ Connected +OAuth \(expires (?:1h|60m)\) +2 /);
  const { out: status } = await runHere(bench.place, ["status", "one"]);
  expect(status).toMatch(/Auth +OAuth \(expires (1h|60m)\)/);
});

test("signing in three times registers one client, since the browser comes back to the same port", async () => {
  await using bench = await openOAuthPlace();
  for (let time = 0; time < 3; time++)
    expect((await bench.runWithBrowser("consent", "auth", "one")).answer).toMatchObject({ signedIn: true });
  expect(bench.authority.paths.filter((path) => path === "/reg")).toHaveLength(1);
});

test("before anybody signed in, a call says which command to type", async () => {
  await using bench = await openOAuthPlace();
  const { exit, answer } = await bench.run("servers");
  expect(exit).toBe(0);
  expect(answer).toMatchObject({ servers: [{ state: "needs-sign-in", auth: "OAuth" }] });
  expect(JSON.stringify(answer)).toContain("clawport auth one");
});

test.each(["whole address", "query", "bare code"])(
  "without a browser the %s finishes it, in another run",
  async (what) => {
    await using bench = await openOAuthPlace();
    const { exit, answer } = await bench.run("auth", "one", "--no-browser");
    expect([exit, answer["signedIn"]]).toEqual([0, false]);
    const left = await createVisitor().consent(String(answer["url"]));
    const code =
      { "whole address": left.href, query: left.search, "bare code": left.searchParams.get("code") ?? "" }[what] ?? "";
    const finished = await bench.run("auth", "one", "--code", code);
    expect(finished.answer).toMatchObject({ signedIn: true, tools: 2 });
    const again = await bench.run("auth", "one", "--code", code);
    expect(again.exit).not.toBe(0);
    expect(bench.authority.grants).toEqual(["authorization_code"]);
  },
);

test("who says no is told so, and nothing is kept", async () => {
  await using bench = await openOAuthPlace();
  const { exit, answer } = await bench.runWithBrowser("refuse", "auth", "one");
  expect(exit).toBe(77);
  expect(answer).toMatchObject({ error: { code: "denied" } });
  expect(bench.shown()).toMatch(/^400 [\s\S]*Not signed in to one/);
  expect(await bench.kept()).toEqual([]);
});

test("several sign-ins that wait do not disturb each other", async () => {
  await using bench = await openOAuthPlace();
  await bench.place.configure({ one: { url: bench.server.url }, two: { url: bench.server.url } });
  const waiting = [await bench.run("auth", "one"), await bench.run("auth", "two"), await bench.run("auth", "one")];
  const left = await Promise.all(waiting.map(({ answer }) => createVisitor().consent(String(answer["url"]))));
  for (const [i, name] of ["one", "two", "one"].entries()) {
    const { answer } = await bench.run("auth", name, "--code", left[i]!.href);
    expect(answer).toMatchObject({ server: name, signedIn: true });
  }
  expect(await bench.kept()).toHaveLength(2);
  const { answer } = await bench.run("auth", "--list");
  expect(answer).toMatchObject({
    signIns: [
      { server: "one", kind: "signed-in" },
      { server: "two", kind: "signed-in" },
    ],
  });
});

test("another authorization server in place of the first gets nothing, until a person accepts it", async () => {
  await using bench = await openOAuthPlace();
  await using other = await startAuthorizationServer();
  await bench.runWithBrowser("consent", "auth", "one");
  bench.move(other);
  const refused = await bench.run("auth", "one");
  expect([refused.exit, refused.answer]).toMatchObject([
    77,
    { error: { code: "denied", message: expect.stringContaining(`--issuer "${other.issuer}"`) } },
  ]);
  expect(JSON.stringify((await bench.run("status", "one")).answer)).toContain("needs-sign-in");
  expect(other.paths.filter((path) => !path.includes("/.well-known/"))).toEqual([]);
  const { answer } = await bench.runWithBrowser("consent", "auth", "one", "--issuer", other.issuer);
  expect(answer).toMatchObject({ signedIn: true, issuer: other.issuer, tools: 2 });
});

test("signing out revokes the tokens and forgets them", async () => {
  await using bench = await openOAuthPlace();
  await bench.runWithBrowser("consent", "auth", "one");
  const token = bench.server.seen.at(-1) ?? "";
  expect(await bench.authority.find(token)).toBeDefined();
  const { exit, answer } = await bench.run("auth", "one", "--logout");
  expect([exit, answer]).toEqual([0, { server: "one", revoked: true }]);
  expect(await bench.authority.find(token)).toBeUndefined();
  expect(await bench.kept()).toEqual([]);
  expect((await bench.run("auth", "--list")).answer).toEqual({ signIns: [] });
});

test("a sign-in whose server is no longer configured is listed, and signing out still revokes it", async () => {
  await using bench = await openOAuthPlace();
  await bench.runWithBrowser("consent", "auth", "one");
  const token = bench.server.seen.at(-1) ?? "";
  await bench.place.configure({});
  expect((await bench.run("auth", "--list")).answer).toMatchObject({ signIns: [{ server: "one", configured: false }] });
  expect((await bench.run("auth", "one", "--logout")).answer).toEqual({ server: "one", revoked: true });
  expect(await bench.authority.find(token)).toBeUndefined();
  expect(await bench.kept()).toEqual([]);
});

test.each([
  ["at another address now", (url: string) => ({ url: `${url}?account=2` })],
  ["let in by a key now", (url: string) => ({ url, apiKey: "k" })],
])("a sign-in whose server is %s is listed, and can be revoked", async (_, change) => {
  await using bench = await openOAuthPlace();
  await bench.runWithBrowser("consent", "auth", "one");
  const token = bench.server.seen.at(-1) ?? "";
  await bench.place.configure({ one: change(bench.server.url) });
  expect((await bench.run("auth", "--list")).answer).toMatchObject({
    signIns: [{ server: "one", address: bench.server.url, configured: false, kind: "signed-in" }],
  });
  expect((await bench.run("auth", "one", "--logout")).answer).toEqual({ server: "one", revoked: true });
  expect(await bench.authority.find(token)).toBeUndefined();
  expect(await bench.kept()).toEqual([]);
});

test.each([
  [["auth"], 2],
  [["auth", "nobody"], 3],
  [["auth", "one", "--code", "not waiting"], 2],
  [["auth", "client-document"], 2],
  [["auth", "client-document", "--url", "http://example.com/x"], 2],
])("%j is refused with a reason", async (argv, code) => {
  await using bench = await openOAuthPlace();
  const { exit, answer } = await bench.run(...argv);
  expect(exit).toBe(code);
  expect(answer).toMatchObject({ error: { message: expect.any(String) } });
});

test("a server with a configured key needs no sign-in", async () => {
  await using bench = await openOAuthPlace({ settings: () => ({ apiKey: "k" }) });
  const { exit, answer } = await bench.run("auth", "one");
  expect([exit, answer]).toMatchObject([
    2,
    { error: { message: expect.stringContaining("one needs no sign-in: its key is in the configuration") } },
  ]);
});
