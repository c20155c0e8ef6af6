import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openBrowser } from "../../support/open-browser.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { type ConsolePlace, openConsolePlace, studioServer } from "./open-console.ts";
import { useKey } from "./use-key.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(chromium === undefined)("the session of a page", () => {
  let browser: Browser;
  let place: ConsolePlace;
  beforeAll(async () => {
    [browser, place] = await Promise.all([
      openBrowser(chromium ?? ""),
      openConsolePlace({ servers: { files: studioServer("files") } }),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await place[Symbol.asyncDispose]();
  });

  test("goes on after a reload and in another tab, without a cookie and with a key that no script can read", async () => {
    await using open = await place.open(browser, { path: "servers" });
    const { page, context } = open;
    const sent: string[] = [];
    context.on("request", (request) => void sent.push(JSON.stringify([request.url(), request.headers()])));
    await page.reload();
    await page.locator("[data-connection=live]").waitFor();
    const tab = await context.newPage();
    await tab.goto(`${place.origin}/console/tools`);
    await tab.getByRole("link", { name: /files__read_text_file/ }).waitFor();
    // Both at the same time.
    await Promise.all([page.reload(), tab.reload()]);
    await page.getByRole("link", { name: /^files/ }).waitFor();
    await tab.getByRole("link", { name: /files__read_text_file/ }).waitFor();
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate("Object.keys(localStorage)")).toEqual([]);
    expect(sent.filter((each) => each.includes("cookie"))).toEqual([]);
    const signatures = sent.flatMap((each) => /"x-clawport-console":"([^"]+)"/.exec(each)?.[1] ?? []);
    expect(signatures.length).toBeGreaterThan(8);
    expect(new Set(signatures).size).toBe(signatures.length);
    expect(await useKey(page, "status.read", "{}")).toEqual({ status: 200, isRead: false });
    expect(open.errors).toEqual([]);
  });

  test("ends with the hub: the page says so, sends nothing more, and a new link opens it again", async () => {
    await using open = await place.open(browser, { path: "servers" });
    const { page, context } = open;
    await page.getByRole("link", { name: /^files/ }).waitFor();
    await place.stop();
    await page.getByText("No connection to the hub.").waitFor();
    await place.restart();
    await page.getByText("does not prove that it is your hub").waitFor();
    await expect.poll(() => page.getByRole("link", { name: /^files/ }).count()).toBe(1);
    await expect.poll(() => page.locator("main.stale").count()).toBe(1);
    const sent: string[] = [];
    context.on("request", (request) => void sent.push(request.url()));
    await page.waitForTimeout(3000);
    expect(sent).toEqual([]);
    await page.reload();
    await page.getByText("You are not signed in").waitFor();
    expect(sent.filter((url) => url.includes("/api/"))).toEqual([]);
    await page.goto((await place.link()).url);
    await page.locator("[data-connection=live]").waitFor();
    expect(page.url()).toBe(`${place.origin}/console/`);
    expect(open.errors).toEqual([]);
  });

  test("does not begin with a hub that does not know the link's secret, nor go on with an earlier proof", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    page.on("request", (request) => void (request.url().includes("/api/") && asked.push(request.url())));
    const result = { session: "A".repeat(43), proof: "A".repeat(43) };
    await page.route("**/console/api/signIn", (route) => route.fulfill({ json: { result } }));
    await page.goto((await place.link()).url);
    await page.getByText("does not prove that it is the hub").waitFor();
    expect(asked).toEqual([`${place.origin}/console/api/signIn`]);
    await context.close();

    await using open = await place.open(browser);
    let earlier: string | undefined;
    await open.page.route("**/console/api/status.read", async (route) => {
      const response = await route.fetch();
      const proof = response.headers()["x-clawport-proof"] ?? "";
      await route.fulfill({ response, headers: { ...response.headers(), "x-clawport-proof": (earlier ??= proof) } });
    });
    // The page reads its status again when the first event has come.
    await open.page.reload();
    await open.page.getByText("does not prove that it is your hub").waitFor();
  });

  test("is told apart from one that the hub itself has ended", async () => {
    await using open = await place.open(browser);
    const { page } = open;
    expect(await useKey(page, "signOut", "{}")).toMatchObject({ status: 200 });
    await page.getByText("You are not signed in").waitFor();
    await expect.poll(() => page.getByText("does not prove").count()).toBe(0);
  });
});
