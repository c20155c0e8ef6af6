import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openBrowser } from "../../support/open-browser.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { callHub } from "./call-hub.ts";
import { type ConsolePlace, openConsolePlace, studioServer } from "./open-console.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 90_000 });

const paths = [
  "",
  "servers/files",
  "servers/+add",
  "servers/+import",
  "tools/files__write_file",
  "approvals",
  "approvals/remembered",
  "approvals/rules",
  "activity",
  "usage",
  "usage/servers",
  "usage/tools",
  "usage/callers",
  "usage/unused",
  "machine",
  "apps",
  "agent",
  "settings",
  "settings/configuration?hide=files__move_file",
  "settings/clients",
  "settings/tokens",
  "settings/health",
  "welcome",
];

describe.skipIf(chromium === undefined)("axe", () => {
  let browser: Browser;
  let place: ConsolePlace;
  beforeAll(async () => {
    [browser, place] = await Promise.all([
      openBrowser(chromium ?? ""),
      openConsolePlace({
        servers: { files: studioServer("files"), gone: { command: "no-such-program" } },
        machine: { enabled: true },
        policy: { rules: [{ tool: "files__write_file", verdict: "ask" }] },
      }),
    ]);
    const token = await place.token();
    await callHub(place.origin, token, "files__list_directory", { path: "." });
    void callHub(place.origin, token, "files__write_file", { path: "a" }).catch(() => {});
  });
  afterAll(async () => {
    await browser.close();
    await place[Symbol.asyncDispose]();
  });

  test.for([
    ["light", 1280],
    ["dark", 1280],
    ["dark", 360],
  ] as const)("finds nothing serious on any page, %s, %i px wide", async ([theme, width]) => {
    await using open = await place.open(browser, { dark: theme === "dark", width });
    const { page } = open;
    await open.context.addInitScript(axe.source);
    await page.reload();
    await page.locator("[data-connection=live]").waitFor();
    for (const path of paths) {
      await open.go(path);
      await page.locator("main > *").first().waitFor();
      await expect.poll(() => page.locator("main [aria-busy=true]").count()).toBe(0);
      expect({ path, found: await seriousOn(page) }).toEqual({ path, found: [] });
      expect({ path, wider: await overflow(page) }).toEqual({ path, wider: 0 });
    }
    expect(open.errors).toEqual([]);
  });
});

async function seriousOn(page: Page): Promise<unknown> {
  return page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => ({ id, nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 200) + failureSummary) })))`);
}

/** By how many pixels the page is wider than the window. */
async function overflow(page: Page): Promise<unknown> {
  return page.evaluate(
    `Math.max(0, ...[document.documentElement, ...document.querySelectorAll("main, .detail, .list-side, .scroll")].map((each) => each.scrollWidth - each.clientWidth))`,
  );
}
