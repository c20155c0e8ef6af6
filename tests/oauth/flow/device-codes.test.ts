import { expect, test } from "vitest";
import { openAuth } from "../fixtures/open-auth.ts";
import { startRogueIssuer } from "../fixtures/rogue-issuer.ts";

test.each([
  ["soon", 600_000],
  [null, 600_000],
  [1e300, 3_600_000],
  [300, 300_000],
])("a code for another device whose expires_in is %j is waited for during %i ms", async (expiresIn, ms) => {
  await using rogue = await startRogueIssuer();
  rogue.settings.device = () => ({
    device_code: "device-1",
    user_code: "ABCD",
    verification_uri: `${rogue.origin}/enter`,
    expires_in: expiresIn,
  });
  const at = Date.now();
  const { auth } = openAuth(rogue.url, { now: () => at });
  const stop = new AbortController();
  const { expiresAt, done } = await auth.beginDevice({ signal: stop.signal });
  stop.abort();
  await expect(done).rejects.toBeInstanceOf(Error);
  expect(expiresAt - at).toBe(ms);
});
