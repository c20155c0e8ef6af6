import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openBrowser } from "../../support/open-browser.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { callHub } from "./call-hub.ts";
import { type ConsolePlace, openConsolePlace, studioServer } from "./open-console.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 60_000 });

const longName = "a-server-whose-name-is-much-longer-than-its-select-can-be";

describe.skipIf(chromium === undefined)("what the page says", () => {
  let browser: Browser;
  let place: ConsolePlace;
  beforeAll(async () => {
    [browser, place] = await Promise.all([
      openBrowser(chromium ?? ""),
      openConsolePlace({
        // A secret, so that the text on the page is not the text of the file.
        servers: {
          files: { ...studioServer("files"), env: { API_KEY: "sk-1234567890abcdef" } },
          [longName]: studioServer("notes"),
        },
      }),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await place[Symbol.asyncDispose]();
  });

  test("a configuration with a syntax error is not called valid, and can't be saved", async () => {
    await using open = await place.open(browser, { path: "settings" });
    const { page } = open;
    const editor = page.getByLabel("Configuration", { exact: true });
    const before = await editor.inputValue();
    expect(before).toContain("[redacted]");
    await page.locator("[data-verdict=ok]").waitFor();
    await editor.fill(`${before.trimEnd().slice(0, -1)},\n "hub": {{\n}`);
    await page.locator("[data-verdict=wrong]").waitFor();
    await page
      .getByRole("list", { name: "Problems" })
      .getByText(/^Line \d+:/)
      .waitFor();
    expect(await page.getByRole("button", { name: "Review changes" }).isDisabled()).toBe(true);
    await editor.fill(before.replace('"API_KEY": "[redacted]"', '"API_KEY": "x-[redacted]"'));
    await page.getByText(/is masked, and its value is not known here/).waitFor();
    expect(await page.getByRole("button", { name: "Review changes" }).isDisabled()).toBe(true);
  });

  test("drafts of the configuration and of the rules are kept when the page is left, with a mark", async () => {
    await using open = await place.open(browser, { path: "settings" });
    const { page } = open;
    const nav = page.getByRole("navigation", { name: "Pages" });
    const editor = page.getByLabel("Configuration", { exact: true });
    const before = await editor.inputValue();
    await editor.fill(`// Mine.\n${before}`);
    await nav.getByRole("link", { name: /Settings has changes that are not saved/ }).waitFor();
    await open.go("approvals/rules");
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByLabel("The tool of rule 1").fill("paint__*");
    await nav.getByRole("link", { name: /Approvals has changes that are not saved/ }).waitFor();
    await open.go("");
    await page.getByRole("heading", { name: "Needs you" }).waitFor();
    await open.go("settings");
    await expect.poll(() => editor.inputValue()).toBe(`// Mine.\n${before}`);
    await open.go("approvals/rules");
    await expect.poll(() => page.getByLabel("The tool of rule 1").inputValue()).toBe("paint__*");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByText("0 rules").waitFor();
    await expect.poll(() => page.locator(".draft-mark").count()).toBe(1);
    expect(open.errors).toEqual([]);
  });

  test("rows of the activity stay under the pointer, and what is new is counted", async () => {
    const token = await place.token();
    await callHub(place.origin, token, "files__list_directory", {});
    await using open = await place.open(browser, { path: "activity" });
    const { page } = open;
    const first = page.locator("[data-at='0']");
    await first.getByText("files__list_directory").waitFor();
    await first.hover();
    await callHub(place.origin, token, "files__search_files", { pattern: "x" });
    await page.getByRole("button", { name: /^1 new/ }).waitFor();
    expect(await first.innerText()).toContain("files__list_directory");
    await page.getByRole("button", { name: /^1 new/ }).click();
    await first.getByText("files__search_files").waitFor();
  });

  test("every object has a title, and an address that leads nowhere says so", async () => {
    await using open = await place.open(browser, { path: "servers/files" });
    const { page } = open;
    await expect.poll(() => page.title()).toBe("files · Servers · Clawport");
    await open.go("tools/files__write_file");
    await expect.poll(() => page.title()).toBe("files__write_file · Tools · Clawport");
    for (const path of ["settings/doctor", "usage/nothing", "servers/nothing", "tools/nothing", "nothing"]) {
      await open.go(path);
      await page.getByRole("heading", { name: /^There is no such/ }).waitFor();
    }
  });

  test("a list that is loading has no count, and one that failed can be tried again", async () => {
    await using open = await place.open(browser);
    const { page } = open;
    const release = Promise.withResolvers<void>();
    await page.route("**/console/api/tools.search", async (route) => {
      await release.promise;
      await route.abort();
    });
    await open.go("tools");
    await page.locator("main [aria-busy=true]").waitFor();
    expect(await page.getByText(/\btools?\b found|^\d+ tools?$/).count()).toBe(0);
    release.resolve();
    await page.getByRole("alert").getByText("can't be reached").waitFor();
    await page.unroute("**/console/api/tools.search");
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("link", { name: /files__write_file/ }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("a server that can't be added says why at its form", async () => {
    await using open = await place.open(browser, { path: "servers/+add?by=command" });
    const { page } = open;
    await page.getByLabel("Command", { exact: true }).last().fill("no-such-program");
    await page.getByLabel("Name").fill("gone");
    await page.keyboard.press("Enter");
    await page.locator("form").getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Add without connecting" }).waitFor();
    expect(await page.locator("[data-notice]").count()).toBe(0);
  });

  test.for([390, 768, 1280, 1440])("the filters of a list stay in it, %i px wide", async (width) => {
    await using open = await place.open(browser, { path: "tools", width });
    const { page } = open;
    await page.getByRole("option", { name: longName }).waitFor({ state: "attached" });
    const beyond = await page.locator(".list-head").evaluate((head) => {
      const box = head as unknown as { getBoundingClientRect(): { right: number }; children: Iterable<typeof box> };
      return Math.max(
        ...[...box.children].map((each) => each.getBoundingClientRect().right - box.getBoundingClientRect().right),
      );
    });
    expect(beyond).toBeLessThanOrEqual(0);
  });

  test("what a destructive button asks has the focus, and so has the button when it is answered", async () => {
    await using open = await place.open(browser, { path: "servers/files" });
    const { page } = open;
    const focused = () => page.evaluate<string>("document.activeElement.textContent");
    await page.getByRole("button", { name: "Remove…" }).click();
    await expect.poll(focused).toBe("Keep it");
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Remove…");
  });
});
