import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHome } from "../../core/files/home.ts";
import { silentLog } from "../../core/log.ts";
import { until } from "../../../tests/support/until.ts";
import type { ConfigEdit, OpenClawConfig } from "../openclaw-api.ts";
import { openPublisher } from "./publisher.ts";

test("entries that can't be written while OpenClaw reloads the plugin are written a moment later", async () => {
  const folder = await mkdtemp(join(tmpdir(), "clawport-publisher-"));
  try {
    const file: OpenClawConfig = {};
    let attempts = 0;
    const publisher = await openPublisher({
      home: await openHome(folder),
      log: silentLog,
      configuration: { current: () => ({ agents: {} }) as never },
      current: () => file,
      async write({ mutate }: ConfigEdit) {
        if (++attempts === 1) throw new Error('Plugin "mcp-client" runtime is no longer active.');
        mutate(file);
      },
      idle: () => Promise.resolve(),
      published: () => [{ server: "notes", entry: "notes" }],
      port: () => 4711,
    });
    publisher.publishSoon();
    await until(() => file.mcp?.servers?.["notes"] !== undefined);
    expect(attempts).toBe(2);
    expect(JSON.stringify(file.mcp?.servers)).toContain("127.0.0.1:4711");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
