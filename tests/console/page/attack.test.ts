import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openBrowser } from "../../support/open-browser.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { callHub } from "./call-hub.ts";
import { type ConsolePlace, openConsolePlace, studioServer } from "./open-console.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(chromium === undefined)("a hostile server", () => {
  let browser: Browser;
  let place: ConsolePlace;
  beforeAll(async () => {
    [browser, place] = await Promise.all([
      openBrowser(chromium ?? ""),
      openConsolePlace({
        servers: { hostile: studioServer("hostile") },
        policy: { rules: [{ tool: "hostile__*", door: "mcp-http", verdict: "ask" }] },
      }),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await place[Symbol.asyncDispose]();
  });

  test("has script in its name, its descriptions, its log, its arguments and its results, and none of it runs", async () => {
    await using open = await place.open(browser);
    const { page } = open;
    const script = `<img src=x onerror="globalThis.pwned='argument'">`;
    const answer = callHub(place.origin, await place.token(), "hostile__greet", { name: script }, script);
    await page.getByRole("link", { name: /^Review/ }).click();
    await page.locator(".detail").getByText(script).first().waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Allow once" }).isEnabled()).toBe(true);
    await page.keyboard.press("o");
    await answer;
    await open.go("servers/hostile");
    // What it wrote to stderr may arrive after its answer.
    await expect
      .poll(async () => {
        await page.getByRole("button", { name: "Read the log again" }).click();
        return page.getByRole("region", { name: "Log" }).last().innerText();
      })
      .toContain("globalThis.pwned='log'");
    await page.locator("dd", { hasText: "globalThis.pwned='name'" }).waitFor();
    await open.go("tools/hostile__greet");
    await page.getByText("globalThis.pwned='description'").first().waitFor();
    await page.getByLabel(/^name/).fill("x");
    await page.getByRole("button", { name: "Run" }).click();
    await page.locator("[data-result] pre", { hasText: "globalThis.pwned='result'" }).waitFor();
    await open.go("activity");
    await page
      .getByRole("link", { name: /hostile__greet/ })
      .last()
      .click();
    await page.getByText("Judged").waitFor();
    expect(await page.evaluate("globalThis.pwned")).toBeUndefined();
    await expect.poll(() => page.locator("main img, main script").count()).toBe(0);
    expect(open.errors).toEqual([]);
  });

  test("can't be framed, and a link that was used is worth nothing", async () => {
    const { url } = await place.link();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url);
    await page.locator("[data-connection=live]").waitFor();
    const stolen = await (await browser.newContext()).newPage();
    await stolen.goto(url);
    await stolen.getByText("This link was used already").waitFor();
    await expect.poll(() => stolen.locator("nav").count()).toBe(0);
    await stolen.setContent(`<iframe src="${place.origin}/console/"></iframe>`);
    await expect.poll(() => stolen.frames().length).toBe(2);
    await expect.poll(() => stolen.frames()[1]?.locator("nav").count()).toBe(0);
    await context.close();
    await stolen.context().close();
  });

  test("without the secret a browser sees only how to get in", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${place.origin}/console/servers/hostile`);
    await page.getByText("You are not signed in").waitFor();
    await expect.poll(() => page.locator("nav").count()).toBe(0);
    await context.close();
  });
});
