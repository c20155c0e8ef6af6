import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openBrowser } from "../../support/open-browser.ts";
import { program } from "../../setup/programs.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { type ConsolePlace, openConsolePlace } from "./open-console.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 60_000 });

const echo = program("tests/servers/fixtures/exact-echo.ts");

describe.skipIf(chromium === undefined)("a number in the console", () => {
  let browser: Browser;
  let place: ConsolePlace;
  beforeAll(async () => {
    const servers = { exact: { command: process.execPath, args: [echo, "legacy", "stdio"] } };
    [browser, place] = await Promise.all([openBrowser(chromium ?? ""), openConsolePlace({ servers })]);
  });
  afterAll(async () => {
    await browser.close();
    await place[Symbol.asyncDispose]();
  });

  test.for(["1234567890123456789", "-9223372036854775808", "7", "-0"])(
    "%s is sent as it was typed, and its result is shown so",
    async (typed) => {
      await using open = await place.open(browser, { path: "tools/exact__echo" });
      const { page } = open;
      const field = page.getByRole("spinbutton").first();
      await field.fill(typed);
      await expect.poll(() => field.inputValue()).toBe(typed);
      await page.getByRole("button", { name: "Run" }).click();
      await expect.poll(() => page.textContent("main"), { timeout: 20_000 }).toContain(`{"id":${typed}}`);
      expect(open.errors).toEqual([]);
    },
  );
});
