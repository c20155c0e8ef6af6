import { writeFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { clawport, makePlace } from "../support/cli/run-clawport.ts";
import { startFakeGateway } from "../support/fake-gateway.ts";
import { canBeOtherUser, otherUid, startSquatter } from "./other-user.ts";

vi.setConfig({ testTimeout: 120_000 });

const isOther = canBeOtherUser();
const token = "the-token-of-the-gateway-0123456789";

async function placeWithGateway(port: number) {
  const place = await makePlace();
  await mkdir(join(place.folder, ".openclaw"), { recursive: true });
  const settings = { gateway: { port, auth: { mode: "token", token } } };
  await writeFile(join(place.folder, ".openclaw", "openclaw.json"), JSON.stringify(settings));
  const { OPENCLAW_GATEWAY_PORT: _, ...env } = place.env;
  return { ...place, env };
}

test.runIf(isOther).each([
  ["an order", ["agent", "hello"]],
  ["pairing this computer", ["node", "pair", "--timeout", "5"]],
  ["the conversations", ["sessions"]],
])("%s sends no token to another user's program on the gateway's port, and says who holds it", async (_, command) => {
  await using squatter = await startSquatter(0);
  await using place = await placeWithGateway(squatter.port);
  const answer = await clawport(place, ...command);
  expect(squatter.heard()).not.toContain(token);
  expect(answer.err).toContain(`Port ${squatter.port}`);
  expect(answer.err).toContain(`UID ${otherUid}`);
});

test("a gateway of the same user is sent the token as before", async () => {
  await using gateway = await startFakeGateway();
  await using place = await placeWithGateway(gateway.port);
  const answer = await clawport(place, "agent", "hello");
  expect(answer).toMatchObject({ exit: 0 });
});
