import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openBrowser } from "../../support/open-browser.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { callHub } from "./call-hub.ts";
import { type ConsolePlace, openConsolePlace, studioServer } from "./open-console.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(chromium === undefined)("the overview", () => {
  let browser: Browser;
  let place: ConsolePlace;
  beforeAll(async () => {
    [browser, place] = await Promise.all([
      openBrowser(chromium ?? ""),
      openConsolePlace({ servers: { files: studioServer("files"), notes: studioServer("notes") } }),
    ]);
    const token = await place.token();
    for (const client of ["Claude Code", "Cursor", "Visual Studio Code"])
      await callHub(place.origin, token, "files__list_directory", { path: "." }, client);
  });
  afterAll(async () => {
    await browser.close();
    await place[Symbol.asyncDispose]();
  });

  test.for([390, 768, 1280, 1440])("names every client and server whole, %i px wide", async (width) => {
    await using open = await place.open(browser, { width, dark: width === 768 || width === 1440 });
    const { page } = open;
    await page.getByRole("link", { name: "main (Visual Studio Code)" }).waitFor();
    await page.getByText("Calls per minute").waitFor();
    if (process.env["PICTURES"])
      await page.screenshot({ path: `${process.env["PICTURES"]}/overview-${width}.png`, fullPage: true });
    // What is cut off, or broken into a column of words.
    const broken = await page.evaluate(`[...document.querySelectorAll(".flow a, .flow li span")]
      .filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== "inline"
        || each.children.length === 0 && each.getClientRects().length > 2)
      .map((each) => each.textContent)`);
    expect(broken).toEqual([]);
    expect(
      await page.evaluate(`document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth`),
    ).toBe(0);
    expect(open.errors).toEqual([]);
  });

  test("a chart says its scale, its times and its colours, and is read with the arrow keys", async () => {
    await using open = await place.open(browser);
    const { page } = open;
    const chart = page.locator("figure", { hasText: "Calls per minute" });
    await expect.poll(() => chart.locator(".legend").allInnerTexts()).toEqual(["calls", "errors"]);
    expect(await chart.locator(".chart-scale span").allInnerTexts()).toEqual([expect.stringMatching(/^[1-9]/), "0"]);
    expect(await chart.locator(".chart-ends span").allInnerTexts()).toEqual([
      expect.stringMatching(/\d:\d\d/),
      expect.stringMatching(/\d:\d\d/),
    ]);
    await chart.getByRole("group").focus();
    await page.keyboard.press("End");
    await chart.getByText(/: \d+ calls, 0 errors, 0 refused$/).waitFor();
    const times = page.locator("figure", { hasText: "Time per call" });
    expect(await times.locator(".legend").allInnerTexts()).toEqual(["median", "p95"]);
    await times.getByRole("group").hover();
    await times.getByText(/median .* p95|no calls/).waitFor();
  });
});
