import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { formatAuditLine } from "../../../src/catalog/audit/audit-line.ts";
import { agePins } from "../../support/age-pins.ts";
import { openBrowser } from "../../support/open-browser.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { type ConsolePlace, openConsolePlace, studioServer } from "./open-console.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 60_000 });

const lines = 100_000;

describe.skipIf(chromium === undefined)("10,000 tools and 100,000 audit lines", () => {
  let browser: Browser;
  let place: ConsolePlace;
  beforeAll(async () => {
    [browser, place] = await Promise.all([
      openBrowser(chromium ?? ""),
      openConsolePlace(
        { servers: { many: studioServer("many") } },
        {
          async prepare({ home }) {
            await mkdir(join(home, "audit"), { recursive: true, mode: 0o700 });
            await writeFile(join(home, "audit", "calls.jsonl"), auditText(), { mode: 0o600 });
          },
        },
      ),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await place[Symbol.asyncDispose]();
  });

  test("never become more than 100 rows, and a search answers from all of them", async () => {
    await using open = await place.open(browser, { path: "tools" });
    const { page } = open;
    await page.getByText("10,001 tools").waitFor();
    expect(await rowsWhileScrolling(page)).toBeLessThan(100);
    await page.getByLabel("Search all tools").fill("needle haystack");
    await page.getByRole("link", { name: /many__item_09876/ }).waitFor();
    expect(open.errors).toEqual([]);
  });

  test("are unused until they are called, with what that costs", async () => {
    await agePins(place.place.home);
    await using open = await place.open(browser, { path: "usage/unused" });
    const { page } = open;
    await page.getByText(/^10,000 tools not called in the last 30 days/).waitFor();
    expect(await rowsWhileScrolling(page)).toBeLessThan(100);
    await page.getByLabel("Search tools that were never used").fill("item_09876");
    await page.getByRole("link", { name: "many__item_09876", exact: true }).waitFor();
    await expect.poll(() => page.locator("[data-at]").count()).toBe(1);
    expect(open.errors).toEqual([]);
  });

  test("and the oldest call is found", async () => {
    await using open = await place.open(browser, { path: "activity" });
    const { page } = open;
    await page
      .getByRole("link", { name: /files__read/ })
      .first()
      .waitFor();
    expect(await rowsWhileScrolling(page)).toBeLessThan(100);
    await page.getByLabel("Search the audit").fill("very-first");
    await page.getByRole("link", { name: /notes__very-first/ }).click();
    await page.getByText("Judged").waitFor();
    await page.goto(`${place.origin}/console/activity?outcome=timeout`);
    await page.getByRole("link", { name: /files__slow/ }).waitFor();
    await expect.poll(() => page.locator("[data-at]").count()).toBe(1);
    expect(open.errors).toEqual([]);
  });
});

/** Scrolls through a list and returns the most rows that existed at once. */
async function rowsWhileScrolling(page: Page): Promise<number> {
  let most = 0;
  for (const share of [0, 0.3, 0.9, 1, 0.5]) {
    await page.locator("[data-list]").evaluate((list, part) => {
      const box = list as unknown as { scrollTop: number; scrollHeight: number };
      box.scrollTop = box.scrollHeight * part;
    }, share);
    await page.locator("[data-at] a").first().waitFor();
    most = Math.max(most, await page.locator("[data-at]").count());
  }
  return most;
}

function auditText(): string {
  const now = Date.now();
  const text: string[] = [];
  for (let at = 0; at < lines; at++) {
    const isFirst = at === 0;
    const isSlow = at === 50_000;
    text.push(
      formatAuditLine({
        at: now - (lines - at) * 1000,
        caller: { door: "mcp-http", token: "main", client: at % 2 === 0 ? "Claude Code" : "Cursor" },
        source: isFirst ? "notes" : "files",
        tool: isFirst ? "notes__very-first" : isSlow ? "files__slow" : "files__read",
        verdict: "allow",
        why: "preset",
        ms: 3 + (at % 40),
        outcome: isSlow ? "timeout" : "ok",
        sizeIn: 20,
        sizeOut: 900,
      }),
    );
  }
  return text.join("");
}
