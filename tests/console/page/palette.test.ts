import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { innerVerbs, verbPlaces } from "../../../console/src/parts/verb-places.ts";
import { verbs } from "../../../src/hub/control/verbs.ts";
import { openBrowser } from "../../support/open-browser.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { type ConsolePlace, openConsolePlace, studioServer } from "./open-console.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 60_000 });

test("every verb that changes something is in the palette, or is a step of one that is", () => {
  const changing = Object.entries(verbs).flatMap(([area, ofArea]) =>
    Object.entries(ofArea)
      .filter(([, { needs }]) => needs === "change" || needs === "person")
      .map(([name]) => `${area}.${name}`),
  );
  expect([...Object.keys(verbPlaces), ...innerVerbs].toSorted()).toEqual(changing.toSorted());
});

describe.skipIf(chromium === undefined)("Ctrl-K", () => {
  let browser: Browser;
  let place: ConsolePlace;
  beforeAll(async () => {
    [browser, place] = await Promise.all([
      openBrowser(chromium ?? ""),
      openConsolePlace({ servers: { files: studioServer("files"), paint: studioServer("paint") } }),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await place[Symbol.asyncDispose]();
  });

  const input = (page: Page) => page.getByRole("combobox", { name: /^Find a page/ });
  const selected = (page: Page) => page.getByRole("dialog").getByRole("option", { selected: true });

  test("opens pages, servers and tools, and does what the page can, by keyboard alone", async () => {
    await using open = await place.open(browser);
    const { page } = open;
    await page.keyboard.press("Control+k");
    await page.keyboard.type("setti");
    await expect.poll(() => selected(page).innerText()).toMatch(/^Settings/);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toMatch(/\/console\/settings$/);
    // A tool by what people call it: the index of the tool search.
    await page.keyboard.press("Control+k");
    await page.keyboard.type("list_directory");
    await page.getByRole("option", { name: /files__list_directory/ }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toMatch(/\/tools\/files__list_directory$/);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("reconn pai");
    await expect.poll(() => selected(page).innerText()).toMatch(/^Reconnect paint/);
    await page.keyboard.press("Enter");
    await page.getByText("Done: Reconnect paint.").waitFor();
    // What was used last comes first.
    await page.keyboard.press("Control+k");
    await expect.poll(() => selected(page).innerText()).toMatch(/^Reconnect paint/);
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => selected(page).innerText()).toMatch(/^files__list_directory/);
    await page.keyboard.press("Escape");
    await expect.poll(() => input(page).count()).toBe(0);
    expect(open.errors).toEqual([]);
  });

  test("a page that is open below keeps its keys to itself, and a link that may only look offers no act", async () => {
    await using open = await place.open(browser, { terminal: false });
    const { page } = open;
    await page.getByText("This link may only look.").waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("reconnect");
    await page.getByText("Nothing has these words.").waitFor();
    await input(page).fill("");
    await page.keyboard.type("g?/");
    expect(await input(page).inputValue()).toBe("g?/");
    expect(await page.getByRole("complementary", { name: "Keyboard" }).count()).toBe(0);
  });

  test.for([390, 768, 1280])("fits and has nothing serious for axe, %i px wide", async (width) => {
    await using open = await place.open(browser, { width, dark: width === 768 });
    const { page } = open;
    await page.getByRole("button", { name: /anything/ }).click();
    await selected(page).waitFor();
    const box = await page.locator(".palette").boundingBox();
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= width).toBe(true);
    await page.addScriptTag({ content: axe.source }).catch(() => page.evaluate(axe.source));
    const found = await page.evaluate(
      `axe.run(".palette").then(({ violations }) => violations.map(({ id, nodes }) => id + nodes[0].html))`,
    );
    expect(found).toEqual([]);
    if (process.env["PICTURES"]) await page.screenshot({ path: `${process.env["PICTURES"]}/palette-${width}.png` });
  });
});
