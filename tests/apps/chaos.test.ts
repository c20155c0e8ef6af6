import { expect, test } from "vitest";
import { hasNats } from "../support/nats-server.ts";
import { runChaos } from "./long/run-chaos.ts";

test.skipIf(!hasNats)(
  "killed and stopped instances, NATS nodes and sockets: nothing runs twice, every call is answered",
  async () => {
    const report = await runChaos(30, Math.floor(Math.random() * 2 ** 31));
    expect(report).toMatchObject({ duplicates: 0, falseSuccesses: 0, unanswered: 0 });
    expect(report.recovery.most).toBeLessThan(30_000);
    expect(report.outcomes["ok"]).toBeGreaterThan(100);
  },
  240_000,
);
