import { afterAll, beforeAll, expect, test } from "vitest";
import { hasNats, type NatsServer, startNatsServer } from "../../../../tests/support/nats-server.ts";
import { silentLog } from "../../../core/log.ts";
import { RateLimiter } from "../../../core/token-bucket.ts";
import { openNatsLinks } from "./nats-connection.ts";
import { openNatsUsage } from "./nats-usage.ts";

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** A clock that stands still, so that nothing is filled up again. */
const still = () => 0;

async function openUsage(instance: string) {
  const links = await openNatsLinks({ servers: [server.url], prefix: "usage" }, silentLog);
  const usage = openNatsUsage(links, instance);
  await links.main.flush();
  return {
    join: usage.join,
    send: (text: string) => links.main.publish("usage.usage", text),
    async [Symbol.asyncDispose]() {
      usage.close();
      await links[Symbol.asyncDispose]();
    },
  };
}

test.skipIf(!hasNats)("what one instance lets through is taken from the limit of the others", async () => {
  await using first = await openUsage("a");
  await using second = await openUsage("b");
  const [one, other, apart] = [new RateLimiter(50, still), new RateLimiter(50, still), new RateLimiter(50, still)];
  first.join("token", one);
  second.join("token", other);
  second.join("another token", apart);
  for (let count = 0; count < 100; count++) expect(one.take()).toBe(true);
  await expect.poll(() => other.take()).toBe(false);
  expect([one.take(), apart.take()]).toEqual([false, true]);
});

test.skipIf(!hasNats)("a limiter that left, and messages that are not reports, change nothing", async () => {
  await using first = await openUsage("a");
  await using second = await openUsage("b");
  const [one, left, marker] = [new RateLimiter(50, still), new RateLimiter(50, still), new RateLimiter(50, still)];
  first.join("token", one);
  second.join("token", left)();
  second.join("marker", marker);
  for (const text of ["", "[]", "{", '{"instance":"x","used":{"marker":"many"}}', '{"used":null}']) first.send(text);
  while (one.take());
  first.send('{"instance":"x","used":{"marker":100}}');
  await expect.poll(() => marker.take()).toBe(false);
  expect(left.take()).toBe(true);
});
