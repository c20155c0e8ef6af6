import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canMount } from "./mount-small-disk.ts";

const root = join(import.meta.dirname, "../..");
const vitest = join(createRequire(import.meta.url).resolve("vitest/package.json"), "../vitest.mjs");
/** An empty folder in place of the one that has `nats-server` and `haproxy`, for this process and its children. */
const withoutPrograms = 'mount -t tmpfs none /usr/sbin && exec "$0" "$@"';

test.skipIf(!(await canMount()))(
  "without a package and the right to install it, its tests are skipped, named and counted, and the rest runs",
  async () => {
    const files = ["tests/apps/deploy-instances.test.ts", "src/sources/apps/nats/open-bucket.test.ts"];
    const command = [process.execPath, vitest, "run", ...files];
    const { CI: _, ...env } = process.env;
    const child = spawn("unshare", ["--mount", "sh", "-c", withoutPrograms, ...command], {
      cwd: root,
      env: { ...env, TEST_INSTALL: "off", NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (err += chunk));
    const [code] = await once(child, "close");
    expect([code, err]).toEqual([0, expect.stringContaining("Run `apt-get install nats-server` to install it.")]);
    expect(out).toContain(
      [
        "2 skipped:",
        "  a proxy does all its work as the NATS user of these files, behind the balancer",
        "  instances that start at the same moment all open the bucket that they share",
        "",
        "2 passed, 0 failed, 2 skipped",
      ].join("\n"),
    );
  },
);
