import { expect, test } from "vitest";
import { hasNats, startNatsServer } from "../../../../tests/support/nats-server.ts";
import { silentLog } from "../../../core/log.ts";
import { openNatsLinks } from "./nats-connection.ts";
import { openBucket } from "./open-bucket.ts";

test.skipIf(!hasNats)("instances that start at the same moment all open the bucket that they share", async () => {
  await using server = await startNatsServer();
  const instances = await Promise.all(
    Array.from({ length: 6 }, () => openNatsLinks({ servers: [server.url], prefix: "shared" }, silentLog)),
  );
  try {
    for (let round = 0; round < 300; round++) {
      const opened = await Promise.all(instances.map((links) => openBucket(links, `part${round}`)));
      expect(opened.map(({ name }) => name)).toEqual(instances.map(() => `shared-part${round}`));
    }
  } finally {
    await Promise.all(instances.map((links) => links[Symbol.asyncDispose]()));
  }
});
