import { get } from "node:http";
import { expect, test, vi } from "vitest";
import { controlAt } from "../support/hub-socket.ts";
import { createMcpCommand } from "../../src/hub/presentation/mcp-command.ts";
import { quietOptions } from "../../src/sources/agent/reply-backend.contract.ts";
import { startHub } from "../support/cli/run-clawport.ts";
import { startGuard } from "../support/start-guard.ts";
import { until } from "../support/until.ts";
import { createVisitor } from "../support/oauth/consent.ts";
import { openAuthControl } from "./open-auth-control.ts";
import { type OAuthPlace, openOAuthPlace } from "./open-oauth-place.ts";

// Browsers, hubs and keyrings are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const stateOf = async (bench: OAuthPlace) => {
  const { answer } = await bench.run("servers");
  return (answer["servers"] as readonly { state: string; auth: string; tools: number }[])[0];
};

test("a running hub is signed in, connects, and is signed out again", async () => {
  await using bench = await openOAuthPlace();
  await using _hub = await startHub(bench.place, "--port", "0");
  expect(await stateOf(bench)).toMatchObject({ state: "needs-sign-in", auth: "OAuth", tools: 0 });
  const { answer } = await bench.runWithBrowser("consent", "auth", "one");
  expect(answer).toMatchObject({ signedIn: true, tools: 2 });
  expect(await stateOf(bench)).toMatchObject({
    state: "ready",
    auth: "OAuth",
    tools: 2,
    signedInUntil: expect.any(String),
  });
  expect((await bench.run("auth", "--list")).answer).toMatchObject({ signIns: [{ server: "one", kind: "signed-in" }] });
  expect((await bench.run("auth", "one", "--logout")).answer).toEqual({ server: "one", revoked: true });
  expect(await stateOf(bench)).toMatchObject({ state: "needs-sign-in" });
  expect(await bench.kept()).toEqual([]);
});

test("a hub that waits for a sign-in takes up one that another process made", async () => {
  await using bench = await openOAuthPlace();
  await using _hub = await startHub(bench.place, "--port", "0");
  expect(await stateOf(bench)).toMatchObject({ state: "needs-sign-in" });
  const auth = await openAuthControl(bench);
  const begun = await auth.begin({ server: "one", redirectUri: "http://127.0.0.1:9/callback" });
  const left = await createVisitor().consent(begun.kind === "redirect" ? begun.url : "");
  await auth.finish({ server: "one", query: left.search, pasted: false });
  expect((await bench.run("refresh", "one")).exit).toBe(0);
  expect(await stateOf(bench)).toMatchObject({ state: "ready", tools: 2 });
  expect((await bench.run("call", "one__read")).exit).toBe(0);
  expect(bench.authority.grants).toEqual(["authorization_code"]);
});

test("a code that was begun at the hub is finished there, in another run", async () => {
  await using bench = await openOAuthPlace();
  await using _hub = await startHub(bench.place, "--port", "0");
  const { answer } = await bench.run("auth", "one", "--no-browser");
  const left = await createVisitor().consent(String(answer["url"]));
  expect((await bench.run("auth", "one", "--code", left.href)).answer).toMatchObject({ signedIn: true, tools: 2 });
  expect((await bench.run("call", "one__read")).exit).toBe(0);
});

test("a running hub is signed in with a code on another device", async () => {
  await using bench = await openOAuthPlace();
  await using _hub = await startHub(bench.place, "--port", "0");
  const { out } = await bench.signInByDevice("auth", "one", "--device", "--json");
  expect(JSON.parse(out)).toMatchObject({ signedIn: true, tools: 2 });
  expect(await stateOf(bench)).toMatchObject({ state: "ready", tools: 2 });
});

test("in a chat the address is the answer, and the hub goes on by itself when the browser comes back", async () => {
  await using bench = await openOAuthPlace();
  await using _hub = await startHub(bench.place, "--port", "0");
  const control = await controlAt(bench.place.home);
  await using parts = await startGuard();
  const notNeeded = (): Promise<never> => Promise.reject(new Error("this test adds no server"));
  const command = createMcpCommand({
    control: () => Promise.resolve(control),
    settled: () => Promise.resolve(),
    guard: parts.guard,
    openEditor: notNeeded,
  });
  const order = quietOptions({ caller: { door: "cli" } });
  const mcp = async (words: string): Promise<string> => (await command(words, order)).text ?? "";
  try {
    const text = await mcp("auth one");
    const [, address = ""] = /\n(http:\S+)\n/.exec(text) ?? [];
    expect(text).toContain("/mcp auth one --code");
    const left = await createVisitor().consent(address);
    get(left).on("error", () => {});
    await until(async () => (await stateOf(bench))?.state === "ready");
    expect(await mcp("auth --list")).toMatch(/one\n.*\n +Status +Signed in/);
    expect(await mcp("auth one --logout")).toContain("Signed out of one");
  } finally {
    control.close();
  }
});
