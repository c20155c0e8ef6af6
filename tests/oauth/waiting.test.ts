import { get } from "node:http";
import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import type { SignIns } from "../../src/hub/sign-in/sign-ins.ts";
import { type StartedSignIn, startSignIn } from "../../src/hub/sign-in/start-sign-in.ts";
import { runHere } from "../support/cli/test-home.ts";
import { until } from "../support/until.ts";
import { createVisitor } from "../support/oauth/consent.ts";
import { openAuthControl } from "./open-auth-control.ts";
import { type OAuthPlace, openOAuthPlace } from "./open-oauth-place.ts";

// Browsers, hubs and keyrings are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

async function start(
  auth: SignIns,
  options: { timeoutMs?: number; pollMs?: number; signal?: AbortSignal } = {},
): Promise<StartedSignIn> {
  const started = await startSignIn(auth, "one", { pollMs: 500, signal: new AbortController().signal, ...options });
  if (started.kind === "signed-in") throw new Error("nobody signed in");
  return started;
}

/** Starts a sign-in where there is one already. */
async function startAgain(bench: OAuthPlace): Promise<StartedSignIn> {
  const auth = await openAuthControl(bench);
  const first = await start(auth);
  await first.paste((await createVisitor().consent(first.url)).href);
  await first.done;
  return start(auth, { pollMs: 5 });
}

const stateOf = ({ url }: StartedSignIn): string => url.searchParams.get("state") ?? "";

test("one that nobody finishes in time leaves nothing behind", async () => {
  await using bench = await openOAuthPlace();
  const started = await start(await openAuthControl(bench), { timeoutMs: 1 });
  await expect(started.done).rejects.toMatchObject({ code: "timeout" });
  expect(await bench.kept()).toEqual([]);
});

test("a sign-in that is cancelled leaves nothing behind, neither here nor on its port", async () => {
  await using bench = await openOAuthPlace();
  const stop = new AbortController();
  const started = await start(await openAuthControl(bench), { signal: stop.signal });
  expect(await bench.kept()).toHaveLength(1);
  stop.abort();
  await expect(started.done).rejects.toMatchObject({ code: "cancelled" });
  expect(await bench.kept()).toEqual([]);
  const back = started.url.searchParams.get("redirect_uri") ?? "";
  const failure = await new Promise((resolve) =>
    get(back, () => resolve("answered")).once("error", (error: NodeJS.ErrnoException) => resolve(error.code)),
  );
  expect(failure).toBe("ECONNREFUSED");
});

test("one that another process finishes is done here too", async () => {
  await using bench = await openOAuthPlace();
  const started = await start(await openAuthControl(bench));
  const left = await createVisitor().consent(started.url);
  await (await openAuthControl(bench)).finish({ server: "one", query: left.searchParams.toString() });
  await started.done;
  expect(await (await openAuthControl(bench)).list()).toMatchObject([{ server: "one", kind: "signed-in" }]);
});

test("one that another process gives up is over here too", async () => {
  await using bench = await openOAuthPlace();
  const started = await start(await openAuthControl(bench), { pollMs: 5 });
  await (await openAuthControl(bench)).cancel({ server: "one", state: stateOf(started) });
  await expect(started.done).rejects.toMatchObject({ code: "cancelled" });
});

test("one that another process gives up is not done because somebody was signed in before", async () => {
  await using bench = await openOAuthPlace();
  const second = await startAgain(bench);
  await (await openAuthControl(bench)).cancel({ server: "one", state: stateOf(second) });
  await expect(second.done).rejects.toMatchObject({ code: "cancelled" });
  expect(bench.authority.grants).toEqual(["authorization_code"]);
});

test("one that another process finishes is done here too, also for who was signed in before", async () => {
  await using bench = await openOAuthPlace();
  const second = await startAgain(bench);
  const left = await createVisitor().consent(second.url);
  await (await openAuthControl(bench)).finish({ server: "one", query: left.searchParams.toString() });
  await second.done;
  expect(bench.authority.grants).toEqual(["authorization_code", "authorization_code"]);
});

test("two for one server each take their own answer, and giving one up leaves the other", async () => {
  await using bench = await openOAuthPlace();
  const auth = await openAuthControl(bench);
  const stop = new AbortController();
  const [first, second] = [await start(auth, { signal: stop.signal }), await start(auth)];
  const left = await createVisitor().consent(second.url);
  stop.abort();
  await expect(first.done).rejects.toMatchObject({ code: "cancelled" });
  expect(await auth.isWaiting({ server: "one", state: stateOf(second) })).toBe(true);
  await second.paste(left.href);
  await second.done;
  expect(bench.authority.grants).toEqual(["authorization_code"]);
});

test("at a terminal the address can be pasted, and a wrong one is asked for again", async () => {
  await using bench = await openOAuthPlace();
  let shown = "";
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = { isTTY: true, write: (text: string) => (shown += text) };
  const running = runHere(bench.place, ["auth", "one", "--no-browser"], { stdin, stderr });
  await until(() => /\nhttp:\S+\n/.test(shown));
  const [, address = ""] = /\n(http:\S+)\n/.exec(shown) ?? [];
  stdin.write("what is this\n");
  await until(() => shown.includes("neither a code nor"));
  stdin.write(`${(await createVisitor().consent(address)).href}\n`);
  const { exit, out } = await running;
  expect([exit, out]).toEqual([0, expect.stringContaining("Signed in to one")]);
});
