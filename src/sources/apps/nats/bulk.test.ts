import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasNats, type NatsServer, startNatsServer } from "../../../../tests/support/nats-server.ts";
import { silentLog } from "../../../core/log.ts";
import { type Bulk, createBulk } from "./bulk.ts";
import { type NatsLinks, openNatsLinks } from "./nats-connection.ts";

const limits = { maxBytes: 1_000_000, maxWaiting: 1_500_000 };
let server: NatsServer;
let links: readonly NatsLinks[];
let from: Bulk;
let to: Bulk;
beforeAll(async () => {
  server = await startNatsServer();
  const open = () => openNatsLinks({ servers: [server.url], prefix: "test" }, silentLog);
  links = [await open(), await open()];
  from = createBulk(links[0]!, "one", limits);
  to = createBulk(links[1]!, "two", limits);
  await Promise.all(links.map(({ bulk }) => bulk.flush()));
});
afterAll(async () => {
  from.close();
  to.close();
  for (const each of links) await each[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

test.skipIf(!hasNats).each([0, 1, 262_144, 262_145, 1_000_000])("%i bytes arrive as they were sent", async (bytes) => {
  const data = randomBytes(bytes);
  expect((await to.read(from.offer(data))).equals(data)).toBe(true);
});

test.skipIf(!hasNats)("one transfer has a limit, and so have all that wait; what was read makes room", async () => {
  const own = createBulk(links[0]!, "full", limits);
  await links[0]!.bulk.flush();
  expect(() => own.offer(Buffer.alloc(1_000_001))).toThrow("too large");
  const first = own.offer(Buffer.alloc(900_000));
  expect(() => own.offer(Buffer.alloc(900_000))).toThrow("too large");
  await to.read(first);
  await expect.poll(() => own.offer(Buffer.alloc(900_000)).bytes).toBe(900_000);
  own.close();
});

test.skipIf(!hasNats).each([
  { from: "one.x", bytes: 1_000_001 },
  { from: "one.x", bytes: -1 },
  { from: "one.x", bytes: 0.5 },
  { from: "one.>", bytes: 1 },
  { from: "one.x.y", bytes: 1 },
  { from: "", bytes: 1 },
])("an offer of $bytes bytes from «$from» is not read", async (offer) => {
  await expect(to.read(offer)).rejects.toThrow("too large");
});

test.skipIf(!hasNats)(
  "an offer of an instance that is gone, or of another size than it has, is reported as lost",
  async () => {
    await expect(to.read({ from: "gone.x", bytes: 1 })).rejects.toThrow("lost between instances");
    const small = createBulk(links[0]!, "small", limits);
    await links[0]!.bulk.flush();
    const offer = small.offer(Buffer.alloc(10));
    await expect(to.read({ ...offer, bytes: 11 })).rejects.toThrow("wrong size");
    small.close();
  },
);
