import { expect, test } from "vitest";
import { type AuthRegistry, createAuthRegistry } from "../../../src/sources/servers/oauth/auth-registry.ts";
import type { CredentialStore } from "../../../src/sources/servers/oauth/store/credentials.ts";
import { defined, startEngine } from "../../support/start-engine.ts";
import { createMemoryCredentials } from "../../support/memory-credentials.ts";
import { signIn } from "../fixtures/open-auth.ts";
import { type RogueIssuer, startRogueIssuer } from "../fixtures/rogue-issuer.ts";
import { startOldServer } from "../fixtures/start-old-server.ts";
import { storeOptions } from "../store-options.ts";

/** The sign-ins of one process; several on one store are several processes. */
function openAuths(store: CredentialStore): AuthRegistry {
  return createAuthRegistry({ ...storeOptions("nowhere", {}), store: () => Promise.resolve(store) });
}

/** Somebody signs in elsewhere, as `clawport auth` does. */
async function signInElsewhere(store: CredentialStore, url: string, more: { scope?: string } = {}): Promise<void> {
  const [definition] = await defined({ notes: { url } });
  await signIn(await openAuths(store).of(definition!)!.load(), more);
}

/** An engine on a server that somebody has signed in to. */
async function startSignedIn({ url }: RogueIssuer) {
  const store = createMemoryCredentials();
  await signInElsewhere(store, url.href);
  const engine = await startEngine({ notes: { url: url.href } }, { auths: openAuths(store) });
  return { ...engine, store };
}

test("a server that wants a sign-in says how, once, and no other server notices", async () => {
  await using rogue = await startRogueIssuer();
  await using open = await startRogueIssuer();
  const store = createMemoryCredentials();
  await signInElsewhere(store, open.url.href);
  const servers = { closed: { url: rogue.url.href }, notes: { url: open.url.href } };
  await using engine = await startEngine(servers, { auths: openAuths(store) });
  for (let count = 0; count < 3; count++) {
    await expect(engine.manager.refresh("closed")).rejects.toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("clawport auth closed"),
    });
  }
  expect(engine.manager.status("closed")).toMatchObject({ state: "needs-sign-in", auth: "OAuth" });
  expect(engine.lines.filter(({ message }) => message.includes("sign in"))).toHaveLength(1);
  expect(engine.manager.status("notes")).toMatchObject({ state: "ready", auth: "OAuth", tools: 2 });
  expect(await engine.call("notes__read")).toMatchObject({ content: [{ text: "done" }] });
  expect(rogue.count("/register")).toBe(0);
});

test("a server comes up on the next call after somebody signed in elsewhere", async () => {
  await using rogue = await startRogueIssuer();
  const store = createMemoryCredentials();
  await using engine = await startEngine({ notes: { url: rogue.url.href } }, { auths: openAuths(store) });
  expect(engine.manager.status("notes").state).toBe("needs-sign-in");
  await signInElsewhere(store, rogue.url.href);
  expect(await engine.manager.refresh("notes")).toMatchObject({ state: "ready", tools: 2 });
});

test("twenty calls whose token is refused bring one refresh, and all of them an answer", async () => {
  await using rogue = await startRogueIssuer();
  await using engine = await startSignedIn(rogue);
  const before = rogue.count("/token");
  rogue.expireAll();
  const calls = await Promise.all(Array.from({ length: 20 }, () => engine.call("notes__read")));
  expect(calls).toHaveLength(20);
  expect(rogue.count("/token") - before).toBe(1);
});

test("a refresh that is refused ends in a sign-in being needed, and the next sign-in mends it", async () => {
  await using rogue = await startRogueIssuer();
  await using engine = await startSignedIn(rogue);
  rogue.expireAll();
  rogue.settings.refuseRefresh = true;
  const before = rogue.count("/token");
  await expect(engine.call("notes__read")).rejects.toMatchObject({ code: "unauthorized" });
  await expect(engine.call("notes__read")).rejects.toMatchObject({ code: "unauthorized" });
  expect(rogue.count("/token") - before).toBe(1);
  expect(engine.manager.status("notes").state).toBe("needs-sign-in");
  await signInElsewhere(engine.store, rogue.url.href);
  expect(await engine.call("notes__read")).toMatchObject({ content: [{ text: "done" }] });
  expect(engine.manager.status("notes").state).toBe("ready");
});

test("a call that is refused whatever token it brings costs one refresh, and the others go on", async () => {
  await using rogue = await startRogueIssuer({ refuseWrite: true });
  await using engine = await startSignedIn(rogue);
  const before = rogue.count("/token");
  await expect(engine.call("notes__write")).rejects.toMatchObject({ code: "unauthorized" });
  expect(engine.manager.status("notes").state).toBe("ready");
  expect(await engine.call("notes__read")).toMatchObject({ content: [{ text: "done" }] });
  expect(engine.manager.status("notes").state).toBe("ready");
  expect(rogue.count("/token") - before).toBe(1);
});

test("a server that refuses every token from now on needs a sign-in", async () => {
  await using rogue = await startRogueIssuer();
  await using engine = await startSignedIn(rogue);
  rogue.settings.refuseAll = true;
  await expect(engine.call("notes__read")).rejects.toMatchObject({ code: "unauthorized" });
  await expect.poll(() => engine.manager.status("notes").state).toBe("needs-sign-in");
});

test("a call that lacks a right says which command gives it; the others go on", async () => {
  await using rogue = await startRogueIssuer({ writeScope: "write" });
  await using engine = await startSignedIn(rogue);
  await expect(engine.call("notes__write")).rejects.toMatchObject({
    code: "unauthorized",
    message: expect.stringContaining('clawport auth notes --scope "read write"'),
    detail: { signIn: "wider", scope: "read write" },
  });
  expect(engine.manager.status("notes").state).toBe("ready");
  await engine.call("notes__read");
  await signInElsewhere(engine.store, rogue.url.href, { scope: "read write" });
  expect(await engine.call("notes__write")).toMatchObject({ content: [{ text: "done" }] });
});

test("a call that still lacks a right is sent again twice at most", async () => {
  await using rogue = await startRogueIssuer({ writeScope: "write" });
  const store = createMemoryCredentials();
  await signInElsewhere(store, rogue.url.href);
  const asked: string[] = [];
  const stepUp = (server: string, scope: string) => Promise.resolve(asked.push(`${server}: ${scope}`) > 0);
  await using engine = await startEngine({ notes: { url: rogue.url.href } }, { auths: openAuths(store), stepUp });
  const before = rogue.count("/mcp");
  await expect(engine.call("notes__write")).rejects.toMatchObject({ detail: { signIn: "wider" } });
  expect(asked).toEqual(["notes: read write", "notes: read write"]);
  expect(rogue.count("/mcp") - before).toBe(3);
});

test("a key of the configuration goes alone: nobody signs in beside it", async () => {
  await using rogue = await startRogueIssuer();
  const store = createMemoryCredentials();
  await signInElsewhere(store, rogue.url.href);
  const before = rogue.seen.length;
  const servers = { notes: { url: rogue.url.href, apiKey: "fixed-key" } };
  await using engine = await startEngine(servers, { auths: openAuths(store) });
  expect(engine.manager.status("notes")).toMatchObject({ state: "needs-key", auth: "API Key" });
  const sent = rogue.seen.slice(before);
  expect(new Set(sent.map(({ path }) => path))).toEqual(new Set(["/mcp"]));
  expect(new Set(sent.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer fixed-key"]));
});

test("two names for one address are two accounts", async () => {
  await using rogue = await startRogueIssuer();
  const store = createMemoryCredentials();
  await signInElsewhere(store, rogue.url.href);
  const servers = { notes: { url: rogue.url.href }, mine: { url: rogue.url.href } };
  await using engine = await startEngine(servers, { auths: openAuths(store) });
  expect(engine.manager.status("notes").state).toBe("ready");
  expect(engine.manager.status("mine").state).toBe("needs-sign-in");
});

test("a server that speaks HTTP+SSE is signed in to and renewed like any other", async () => {
  await using rogue = await startRogueIssuer();
  await using old = await startOldServer(rogue);
  const store = createMemoryCredentials();
  await using engine = await startEngine({ notes: { url: old.url } }, { auths: openAuths(store) });
  expect(engine.manager.status("notes").state).toBe("needs-sign-in");
  await signInElsewhere(store, old.url);
  expect(await engine.manager.refresh("notes")).toMatchObject({ state: "ready", tools: 1 });
  const before = rogue.count("/token");
  rogue.expireAll();
  expect(await engine.call("notes__read")).toMatchObject({ content: [{ text: "done" }] });
  expect(rogue.count("/token") - before).toBe(1);
});
