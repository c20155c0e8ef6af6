import { expect, test } from "vitest";
import { openAttackSite } from "../browser/attack-site.ts";
import { openBrowser } from "../browser/open-browser.ts";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { startNode } from "./start-node.ts";

const chromium = await requireDebianPackage("chromium", "/usr/bin/chromium");

test.skipIf(chromium === undefined)(
  "a hostile page in a real browser reaches no tool of this computer, even if it knows the token",
  { timeout: 60_000 },
  async () => {
    await using node = await startNode({
      level: "debug",
      approvals: { version: 1, defaults: { security: "full", ask: "off" } },
    });
    await using site = await openAttackSite();
    const browser = await openBrowser(chromium ?? "");
    try {
      const page = await browser.newPage();
      await page.goto(`http://evil.test:${site.port}/`);
      const refused = (): readonly string[] =>
        node.logged.filter((line) => line.includes("refused a caller at the gate"));
      const target = JSON.stringify(new URL(node.url).origin);
      const { names, readable } = (await page.evaluate(`attack(${target}, ${JSON.stringify(node.token)})`)) as Attack;
      const sent = names.filter((name) => !name.startsWith("fetch-same-origin"));
      await expect.poll(() => refused().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(sent.length);
      expect(refused().filter((line) => !line.includes("status=403"))).toEqual([]);
      expect(readable).toEqual([]);
      expect(node.node.engine.machine!.activity.list()).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);

interface Attack {
  readonly names: readonly string[];
  readonly readable: readonly string[];
}
