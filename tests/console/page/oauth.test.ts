import { expect, test, vi } from "vitest";
import { openBrowser } from "../../support/open-browser.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { openOAuthPlace } from "../../oauth/open-oauth-place.ts";
import { openConsolePlace } from "./open-console.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 60_000 });

test.skipIf(chromium === undefined)("a server is signed in to with a button, and signed out of", async () => {
  await using bench = await openOAuthPlace();
  await using place = await openConsolePlace({ servers: { one: { url: bench.server.url } } }, { given: bench.place });
  const browser = await openBrowser(chromium ?? "");
  try {
    await using open = await place.open(browser);
    const { page } = open;
    await page.getByRole("link", { name: /^Sign in/ }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText(`You sign in at ${new URL(bench.authority.issuer).host}`).waitFor();
    await page.getByRole("link", { name: "Continue" }).click();
    await page.fill("input[name=login]", "somebody");
    await page.fill("input[name=password]", "anything");
    await page.click("button[type=submit]");
    await page.waitForSelector("text=mcp:read");
    await page.click("button[type=submit]");
    await page.waitForURL(`${place.origin}/console/servers/one`);
    await page.getByRole("link", { name: "one__read" }).waitFor();
    await expect.poll(() => page.locator(".detail .state").first().innerText()).toBe("Connected");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    expect(open.errors).toEqual([]);
  } finally {
    await browser.close();
  }
});
