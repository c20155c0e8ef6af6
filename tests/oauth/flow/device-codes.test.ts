import { expect, test } from "vitest";
import { openAuth, signIn } from "../fixtures/open-auth.ts";
import { startRogueIssuer } from "../fixtures/rogue-issuer.ts";

/** What an authorization server says to whoever wants a code for another device. */
function codeAt(address: string) {
  return { device_code: "device-1", user_code: "ABCD", verification_uri: address };
}

test.each([
  ["soon", 600_000],
  [null, 600_000],
  [1e300, 3_600_000],
  [300, 300_000],
])("a code for another device whose expires_in is %j is waited for during %i ms", async (expiresIn, ms) => {
  await using rogue = await startRogueIssuer();
  rogue.settings.device = () => ({ ...codeAt(`${rogue.origin}/enter`), expires_in: expiresIn });
  const at = Date.now();
  const { auth } = openAuth(rogue.url, { now: () => at });
  const stop = new AbortController();
  const { expiresAt, done } = await auth.beginDevice({ signal: stop.signal });
  stop.abort();
  await expect(done).rejects.toBeInstanceOf(Error);
  expect(expiresAt - at).toBe(ms);
});

test.each(["https://user:pass@auth.example/enter", "http://auth.example/enter", "javascript:alert(1)", "enter"])(
  "nobody is sent to %s, where no code should be entered",
  async (address) => {
    await using rogue = await startRogueIssuer({ device: () => codeAt(address) });
    const { auth } = openAuth(rogue.url);
    const { signal } = new AbortController();
    await expect(auth.beginDevice({ signal })).rejects.toMatchObject({ code: "denied" });
    expect(rogue.count("/device")).toBe(1);
  },
);

test("rights that one authorization server gave are not asked for at another one", async () => {
  await using rogue = await startRogueIssuer();
  await using other = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  await signIn(auth, { scope: "rogue:own" });
  other.settings.device = () => codeAt(`${other.origin}/enter`);
  rogue.settings.resource = (document) => ({ ...document, authorization_servers: [other.origin] });
  const stop = new AbortController();
  const { done } = await auth.beginDevice({ scope: "write", issuer: other.origin, signal: stop.signal });
  stop.abort();
  await expect(done).rejects.toBeInstanceOf(Error);
  expect(other.seen.find(({ path }) => path === "/device")?.params.get("scope")).toBe("read write");
});
