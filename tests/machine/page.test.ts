import { expect, test } from "vitest";
import { openAttackSite } from "../browser/attack-site.ts";
import { openBrowser } from "../support/open-browser.ts";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { startNode } from "./start-node.ts";

const chromium = await requireDebianPackage("chromium");

test.skipIf(chromium === undefined)(
  "a hostile page in a real browser reaches no tool of this computer, even if it knows the token",
  { timeout: 60_000 },
  async () => {
    await using node = await startNode({
      level: "debug",
      approvals: { version: 1, defaults: { security: "full", ask: "off" } },
    });
    // The tool that the page calls.
    let runs = 0;
    node.node.engine.machine!.registry.register({
      name: "test.count",
      title: "Count",
      description: "Counts its calls.",
      risk: "read",
      consent: "always",
      input: { type: "object" },
      output: { type: "object" },
      run: () => ({ payload: { runs: ++runs } }),
    });
    expect(await node.text("test.count")).toContain("1");
    await using site = await openAttackSite();
    const browser = await openBrowser(chromium ?? "");
    try {
      const page = await browser.newPage();
      await page.goto(`http://evil.test:${site.port}/`);
      const refused = (): readonly string[] =>
        node.logged.filter((line) => line.includes("refused a caller at the gate"));
      const target = JSON.stringify(new URL(node.url).origin);
      // The node's own address, beside those of a hub.
      const direct = `fetch(${target} + "/", { method: "POST", mode: "no-cors", body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test.count"}}' })`;
      await page.evaluate(`${direct}.then(() => true, () => false)`);
      await expect.poll(() => refused().length, { timeout: 20_000 }).toBe(1);
      const { names, readable } = (await page.evaluate(
        `attack(${target}, ${JSON.stringify(node.token)}, "test.count")`,
      )) as Attack;
      const sent = names.filter((name) => !name.startsWith("fetch-same-origin"));
      await expect.poll(() => refused().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(sent.length + 1);
      expect(refused().filter((line) => !line.includes("status=403"))).toEqual([]);
      expect(readable).toEqual([]);
      expect(runs).toBe(1);
      expect(node.node.engine.machine!.activity.list()).toHaveLength(1);
    } finally {
      await browser.close();
    }
  },
);

interface Attack {
  readonly names: readonly string[];
  readonly readable: readonly string[];
}
