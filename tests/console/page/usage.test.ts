import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { StoredRow } from "../../../src/catalog/usage/usage-row.ts";
import { agePins } from "../../support/age-pins.ts";
import { openBrowser } from "../../support/open-browser.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { clawport } from "../../support/cli/run-clawport.ts";
import { callHub } from "./call-hub.ts";
import { type ConsolePlace, openConsolePlace, studioServer } from "./open-console.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 60_000 });

const dayMs = 86_400_000;
const script = `<img src=x onerror="globalThis.pwned=1">`;
const ledger: Readonly<Record<number, readonly StoredRow[]>> = {
  // A caller of its own on this day only.
  2: [["files", "files__read_text_file", "mcp-http/phone", 40, 3, 4000, 80_000, 40_000]],
  20: [
    ["files", "files__list_directory", "mcp-http/laptop", 100, 0, 2000, 8_000_000, 0],
    ["-", "(unknown)", "mcp-http/laptop", 7, 7, 0, 0, 0],
    ["constructor", "constructor__toString", "__proto__", 1, 0, 0, 0, 0],
    [`gone${script}`, `gone__${script}`, `plugin/main/${script}`, 1, 0, 0, 0, 0],
  ],
};

describe.skipIf(chromium === undefined)("usage", () => {
  let browser: Browser;
  let place: ConsolePlace;
  beforeAll(async () => {
    [browser, place] = await Promise.all([
      openBrowser(chromium ?? ""),
      openConsolePlace(
        { servers: { files: studioServer("files"), paint: studioServer("paint") } },
        {
          async prepare({ home }) {
            await mkdir(join(home, "usage"), { recursive: true, mode: 0o700 });
            for (const [ago, rows] of Object.entries(ledger)) {
              const day = new Date(Date.now() - Number(ago) * dayMs).toISOString().slice(0, 10);
              await writeFile(join(home, "usage", `${day}.json`), JSON.stringify({ rows }), { mode: 0o600 });
            }
          },
        },
      ),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await place[Symbol.asyncDispose]();
  });

  test("is summed over the chosen time, with a chart by day", async () => {
    await using open = await place.open(browser);
    const { page } = open;
    await page.keyboard.press("g");
    await page.keyboard.press("u");
    await page.getByRole("heading", { name: "The last 30 days", exact: true }).waitFor();
    expect(await figures(page)).toEqual([
      "149 calls",
      "10 errors (6.7 %)",
      "1,500 estimated tokens in",
      "2M estimated tokens out",
      "10,000 left out by previews",
    ]);
    await expect
      .poll(() => page.getByRole("img", { name: /149 calls and 10 errors, most on .*: 109/ }).isVisible())
      .toBe(true);
    await expect.poll(() => page.locator(".spark g").count()).toBe(60);

    await page.getByRole("button", { name: "7 days" }).click();
    await page.getByRole("heading", { name: "The last 7 days", exact: true }).waitFor();
    expect(page.url()).toContain("/console/usage?days=7");
    expect((await figures(page))[0]).toBe("40 calls");
    // The choice stays when the page is read again, and on its other parts.
    await page.reload();
    await page.getByRole("heading", { name: "The last 7 days", exact: true }).waitFor();
    await page.getByRole("link", { name: "Callers", exact: true }).click();
    await page.getByRole("link", { name: /^phone/ }).waitFor();
    await expect.poll(() => page.locator("[data-at]").count()).toBe(1);

    await page.getByRole("button", { name: "Today" }).click();
    await page.getByText("Nothing was called today.").waitFor();
    await open.go("usage?days=1");
    await page.getByRole("heading", { name: "No calls today" }).waitFor();
    expect(open.errors).toEqual([]);
  });

  test("leads from a server to its tools, and from a tool to its calls; names are text", async () => {
    await using open = await place.open(browser, { path: "usage/servers" });
    const { page } = open;
    const row = page.getByRole("link", { name: /^files/ });
    expect((await row.innerText()).split("\n").map((each) => each.trim())).toEqual(
      expect.arrayContaining(["files", expect.stringMatching(/^140/)]),
    );
    await page.getByRole("link", { name: /^tools that do not exist 7/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/usage\/tools\?days=30&source=files$/);
    await expect.poll(() => names(page)).toEqual(["files__list_directory", "files__read_text_file"]);
    await page.getByRole("button", { name: "Errors" }).click();
    await expect.poll(() => names(page)).toEqual(["files__read_text_file", "files__list_directory"]);
    await page.getByLabel("Source").selectOption("");
    await page.getByLabel("Search tools").fill("onerror");
    await expect.poll(() => names(page)).toEqual([`gone__${script}`]);
    expect(await page.evaluate("globalThis.pwned")).toBeUndefined();
    await page.getByLabel("Search tools").fill("read_text");
    await page.getByRole("link", { name: /^files__read_text_file/ }).click();
    await page.waitForURL(/activity\?tool=files__read_text_file$/);
    expect(open.errors).toEqual([]);
  });

  test("names what no one used, and leads to where that is switched off or hidden", async () => {
    // What is new has had no chance to be used.
    await using open = await place.open(browser, { path: "usage/unused?source=paint" });
    const { page } = open;
    await page.getByText("No tool matches").waitFor();
    await agePins(place.place.home);
    await page.reload();
    await page.getByRole("link", { name: "Summary", exact: true }).click();
    await page
      .getByText(/of 10 tools were not called\. Their definitions take an estimated [\d,]+ of [\d,]+ tokens/)
      .waitFor();
    await page.getByRole("link", { name: "Switch off paint" }).click();
    await page.waitForURL(/servers\/paint$/);
    await page.getByRole("button", { name: "Disable" }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "Review the unused tools of files" }).click();
    await page.getByRole("link", { name: "files__move_file", exact: true }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "files__read_text_file", exact: true }).count()).toBe(0);
    await expect.poll(() => page.getByRole("link", { name: /Switch off/ }).count()).toBe(0);

    // What hides it is entered and shown; nothing is written before it is saved.
    const config = (): Promise<string> => readFile(join(place.place.home, "clawport.json5"), "utf8");
    await page.getByRole("link", { name: "Hide files__move_file" }).click();
    await page.getByText("This hides files__move_file from all clients.").waitFor();
    await page.locator(".diff .add", { hasText: "files__move_file" }).waitFor();
    expect(await config()).not.toContain("exclude");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Hidden from all clients: files__move_file.").waitFor();
    expect(await config()).toContain("files__move_file");
    await open.go("usage/unused?days=30&source=files");
    await page.getByRole("link", { name: "files__write_file", exact: true }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "files__move_file", exact: true }).count()).toBe(0);
    await page.getByLabel("Search tools that were never used").fill("_file");
    await page.getByRole("link", { name: "Hide all 2" }).click();
    await page.getByText("This hides files__write_file, files__search_files from all clients.").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/^Hidden from all clients: files__write_file/).waitFor();
    const { tools } = JSON.parse((await clawport(place.place, "tools", "files", "--json")).out) as {
      tools: { name: string }[];
    };
    expect(tools.map(({ name }) => name).toSorted()).toEqual(["files__list_directory", "files__read_text_file"]);
    expect(open.errors).toEqual([]);
  });

  test("a call is counted while the page is open", async () => {
    await using open = await place.open(browser, { path: "usage/tools?days=1", width: 360 });
    const { page } = open;
    await page.getByText("Nothing was called today.").waitFor();
    await callHub(place.origin, await place.token(), "files__list_directory", { path: "." });
    const row = page.getByRole("link", { name: /^files__list_directory 1 call/ });
    await row.waitFor();
    // Without columns, each figure has its unit.
    await expect.poll(() => row.innerText()).toMatch(/1 call\b[^]*0 errors[^]*in[^]*out/);
    expect(open.errors).toEqual([]);
  });
});

async function figures(page: Page): Promise<readonly string[]> {
  const texts = await page.locator(".figure").allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, " ").trim());
}

function names(page: Page): Promise<readonly string[]> {
  return page.locator("[data-at] .name").allInnerTexts();
}
