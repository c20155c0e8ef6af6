import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { openCredentialStore } from "../../src/sources/servers/oauth/store/open-credential-store.ts";
import { placeWith, runHere } from "../support/cli/test-home.ts";
import { until } from "../support/until.ts";
import { visit } from "./fixtures/open-auth.ts";
import { type RogueIssuer, startRogueIssuer } from "./fixtures/rogue-issuer.ts";
import { openOAuthPlace } from "./open-oauth-place.ts";
import { storeOptions } from "./store-options.ts";

vi.setConfig({ testTimeout: 60_000 });

/** A home in which somebody has signed in to the server, whose token has expired since. */
async function openExpired(rogue: RogueIssuer) {
  const place = await placeWith({ one: { url: rogue.url.href } });
  const begun = JSON.parse((await runHere(place, ["auth", "one", "--no-browser", "--json"])).out) as { url: string };
  const query = await visit(new URL(begun.url));
  await runHere(place, ["auth", "one", "--code", `http://127.0.0.1/callback?${query.toString()}`]);
  const file = openCredentialStore(storeOptions(place.home, place.env)).open("one", rogue.url);
  await file.change((now) => now?.tokens && { ...now, tokens: { ...now.tokens, expiresAt: Date.now() - 1 } });
  return { place, file };
}

test("a command that is stopped while its token is renewed ends only when the new one is kept", async () => {
  await using rogue = await startRogueIssuer();
  const { place, file } = await openExpired(rogue);
  await using _ = place;
  const held = Promise.withResolvers<void>();
  let isAsked = false;
  rogue.settings.holdRefresh = () => ((isAsked = true), held.promise);
  const before = (await file.read())?.tokens?.refreshToken;
  const stop = new AbortController();
  const order: string[] = [];
  const running = runHere(place, ["call", "one__read"], { stopSignal: () => stop.signal });
  const over = running.then(() => order.push("the command is over"));
  await until(() => isAsked);
  stop.abort();
  // Long enough for a command that does not wait; one that does is not hurried by it.
  await Promise.race([over, sleep(1000)]);
  order.push("the token is issued");
  held.resolve();
  await over;
  expect(order).toEqual(["the token is issued", "the command is over"]);
  expect((await running).exit).toBe(130);
  const after = (await file.read())?.tokens?.refreshToken;
  expect(after).toContain("refresh-");
  expect(after).not.toBe(before);
});

test("a sign-in that is stopped has nothing left of it when the command ends", async () => {
  await using bench = await openOAuthPlace();
  const stop = new AbortController();
  let shown = "";
  const world = { stopSignal: () => stop.signal, stderr: { write: (text: string) => (shown += text) } };
  const place = { ...bench.place, env: { ...bench.place.env, BROWSER: "true" } };
  const running = runHere(place, ["auth", "one"], world);
  await until(() => shown.includes("Your browser opens"));
  stop.abort();
  expect((await running).exit).toBe(130);
  expect(await bench.kept()).toEqual([]);
});
