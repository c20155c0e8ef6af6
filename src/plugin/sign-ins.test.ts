import { once } from "node:events";
import { get } from "node:http";
import { expect, test, vi } from "vitest";
import { startAuthorizationServer } from "../../tests/support/oauth/authorization-server.ts";
import { createVisitor } from "../../tests/support/oauth/consent.ts";
import { startProtectedServer } from "../../tests/support/oauth/protected-server.ts";
import { closeAfterTest, startPlugin } from "../../tests/support/start-plugin.ts";

// The machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const me = { channel: "webchat", senderId: "me", senderIsOwner: true };
const patiently = { timeout: 30_000, interval: 100 };

/** A plugin whose chats can't be posted to, signed in to `one` for reading. */
async function openSignedIn(accessSeconds?: () => number) {
  const authority = await startAuthorizationServer({ accessSeconds });
  const server = await startProtectedServer(authority);
  closeAfterTest(authority, server);
  const plugin = await startPlugin({ servers: { one: { url: server.url, heartbeatMs: 300 } } });
  const say = (words: string, by = me) => plugin.command(words, by);
  await agreeAt(await say("connect one"));
  await expect.poll(() => say("servers"), patiently).toMatch(/^Signed in to one[\s\S]*Tools: 2/);
  return { authority, server, say };
}

async function agreeAt(text: string): Promise<void> {
  const [address = ""] = /http\S+authorize?\S+|http\S+\/auth\?\S+/.exec(text) ?? [];
  await once(get(await createVisitor().consent(address)), "response");
}

test("a call that lacks a permission gives the owner the address, and works when they have signed in", async () => {
  const { say } = await openSignedIn();
  const refused = await say("call one__write {}");
  expect(refused).toMatch(
    /requires more permissions[\s\S]*\/mcp auth one --scope[\s\S]*give it to the user[\s\S]*\nhttp/,
  );
  // The same sign-in is offered again, not another one.
  expect(await say("call one__write {}")).toBe(refused);
  await agreeAt(refused);
  await expect
    .poll(() => say("servers"), patiently)
    .toMatch(/^Signed in to one\. What failed before can be tried again\./);
  expect(await say("call one__write {}")).toContain("written");
});

test("a sign-in that can't be renewed is told at once, with the address of a new one", async () => {
  const { authority, say } = await openSignedIn();
  await authority.revokeAll();
  let told = "";
  await expect
    .poll(async () => (told = await say("servers")), patiently)
    .toMatch(/^The sign-in to one is no longer valid\. Open this address in a browser and sign in:\n\nhttp/);
  await agreeAt(told);
  await expect.poll(() => say("servers"), patiently).toMatch(/^Signed in to one[\s\S]*Status: Connected/);
  expect(await say("call one__read {}")).toContain("read with");
});
