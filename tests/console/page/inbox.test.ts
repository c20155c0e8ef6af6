import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openBrowser } from "../../support/open-browser.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { callHub } from "./call-hub.ts";
import { type ConsolePlace, openConsolePlace, studioServer } from "./open-console.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 90_000 });

const policy = {
  rules: [
    { tool: "files__write_file", verdict: "ask" },
    { tool: "files__move_file", verdict: "ask" },
  ],
};

describe.skipIf(chromium === undefined)("the inbox", () => {
  let browser: Browser;
  let place: ConsolePlace;
  let token: string;
  beforeAll(async () => {
    [browser, place] = await Promise.all([
      openBrowser(chromium ?? ""),
      openConsolePlace({ servers: { files: studioServer("files") }, policy }),
    ]);
    token = await place.token();
  });
  afterAll(async () => {
    await browser.close();
    await place[Symbol.asyncDispose]();
  });

  const write = (path: string, content = "x", client = "Claude Code") =>
    callHub(place.origin, token, "files__write_file", { path, content }, client);
  const row = (page: Page, name: string) => page.locator(".inbox-row", { hasText: name });
  const current = (page: Page) => page.locator(".inbox-row a[aria-current=true]").innerText();
  const isDone = { result: { content: [{ type: "text", text: "Done: write_file" }] } };
  const isRefused = { result: { isError: true } };

  test("calls are grouped by caller and act, with the argument that tells them apart and the time left", async () => {
    await using open = await place.open(browser, { path: "approvals" });
    const { page } = open;
    const calls = [
      write("n1.md"),
      write("n2.md"),
      write("n3.md", "x", "Cursor"),
      callHub(place.origin, token, "files__move_file", { source: "a.txt", destination: "b.txt" }),
    ];
    await expect.poll(() => page.locator(".inbox-row").count()).toBe(4);
    await expect
      .poll(async () => (await page.locator(".group-head h2").allInnerTexts()).toSorted())
      .toEqual([
        "Claude Code (token main) · files__move_file · 1",
        "Claude Code (token main) · files__write_file · 2",
        "Cursor (token main) · files__write_file · 1",
      ]);
    expect(await row(page, "n1.md").innerText()).toMatch(/[12]:\d\d$/);
    await page.getByLabel("Search what waits").fill("cursor n3");
    await expect.poll(() => page.locator(".inbox-row").count()).toBe(1);
    await page.getByLabel("Search what waits").fill("");
    // All of them are denied at once.
    for (const name of ["n1.md", "n2.md", "n3.md", "a.txt"]) await row(page, name).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Not now: refuse 4" }).click();
    await page.getByText("Nothing waits for you").waitFor();
    for (const answer of await Promise.all(calls)) expect(answer).toMatchObject(isRefused);
    expect(open.errors).toEqual([]);
  });

  test("keys move, select and answer; the neighbour takes the place; a denial can be taken back", async () => {
    await using open = await place.open(browser, { path: "approvals" });
    const { page } = open;
    const calls = ["k1", "k2", "k3", "k4"].map((path) => write(path));
    await expect.poll(() => page.locator(".inbox-row").count()).toBe(4);
    const names = (await page.locator(".inbox-row .name").allInnerTexts()) as [string, string, string, string];
    await page.keyboard.press("j");
    await expect.poll(() => current(page)).toContain(names[1]);
    await page.keyboard.press("j");
    await expect.poll(() => current(page)).toContain(names[2]);
    await page.keyboard.press("n");
    // At once, though the hub is told three seconds later.
    await page.locator("[data-held='1']").waitFor();
    await expect.poll(() => current(page)).toContain(names[3]);
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain(names[3]);
    await page.keyboard.press("z");
    await row(page, names[2]).waitFor();
    await page.keyboard.press("k");
    await expect.poll(() => current(page)).toContain(names[2]);
    await page.keyboard.press("n");
    // Selected without having been opened: it can be denied, but not allowed.
    await page.locator(".inbox-row", { hasText: names[0] }).getByRole("checkbox").check();
    await page.locator(".inbox-row", { hasText: names[1] }).getByRole("checkbox").check();
    await page.getByText("2 calls selected").waitFor();
    await page.keyboard.press("n");
    await row(page, names[3]).click();
    await expect.poll(() => page.getByRole("button", { name: "Allow once" }).isEnabled()).toBe(true);
    await page.keyboard.press("o");
    await page.getByText("Nothing waits for you").waitFor();
    const answers = await Promise.all(calls);
    const byName = new Map(["k1", "k2", "k3", "k4"].map((name, at) => [name, answers[at]]));
    expect(byName.get(names[3])).toMatchObject(isDone);
    for (const name of names.slice(0, 3)) expect(byName.get(name)).toMatchObject(isRefused);
    expect(open.errors).toEqual([]);
  });

  test("several are allowed only if each was seen whole", async () => {
    await using open = await place.open(browser, { path: "approvals" });
    const { page } = open;
    const calls = [write("s1"), write("s2"), write("s3", "line\n".repeat(400))];
    await expect.poll(() => page.locator(".inbox-row").count()).toBe(3);
    for (const name of ["s1", "s2"]) {
      await row(page, name).locator("a").click();
      await row(page, name).getByText("seen").waitFor();
    }
    await row(page, "s3").locator("a").click();
    await page.getByRole("region", { name: "The call" }).getByText("line").first().waitFor();
    await page.getByRole("button", { name: /^Select all of/ }).click();
    await page.getByRole("button", { name: "Allow 2 once" }).waitFor();
    await page.keyboard.press("o");
    expect((await Promise.all(calls.slice(0, 2))).map(({ result }) => result?.isError ?? false)).toEqual([
      false,
      false,
    ]);
    await page.getByText("1 call selected").waitFor();
    expect(await page.getByRole("button", { name: "Allow 0 once" }).isDisabled()).toBe(true);
    await page.keyboard.press("n");
    expect(await calls[2]).toMatchObject(isRefused);
  });

  test("a lasting answer names what it covers, asks once more, and can be withdrawn", async () => {
    await using open = await place.open(browser, { path: "approvals" });
    const { page } = open;
    const calls = [write("v1"), write("v2")];
    const other = write("v3", "x", "Cursor");
    await expect.poll(() => page.locator(".inbox-row").count()).toBe(3);
    await row(page, "v1").locator("a").click();
    await page.keyboard.press("v");
    const question = page.getByRole("group", { name: "Never allow" });
    await question.getByText("files__write_file for Claude Code (token main)").waitFor();
    // The token is what an answer is for: the name of a client is its own.
    await question.getByText("also refuses 2 other calls that wait now").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => question.count()).toBe(0);
    await page.keyboard.press("v");
    await question.waitFor();
    await page.keyboard.press("v");
    await page.keyboard.press("z");
    await expect.poll(() => page.locator(".inbox-row").count()).toBe(3);
    await row(page, "v1").locator("a").click();
    await page.keyboard.press("v");
    await question.waitFor();
    await page.keyboard.press("v");
    for (const answer of await Promise.all([...calls, other])) expect(answer).toMatchObject(isRefused);
    await open.go("approvals/remembered");
    await page.getByRole("button", { name: "Forget" }).click();
    await page.getByText("No answer is remembered").waitFor();
  });

  test("what a write would change is shown as a difference", async () => {
    await using open = await place.open(browser, { path: "approvals" });
    const { page } = open;
    const call = write("d.md", "- bread\n- olives\n");
    await page.getByRole("region", { name: "What it would change" }).getByText("Writes d.md").waitFor();
    expect(await page.getByRole("region", { name: "The difference" }).innerText()).toBe("+ - bread\n+ - olives");
    await page.locator("[data-call]").waitFor();
    await page.keyboard.press("n");
    await call;
  });

  test("a tool that is run here and needs approval is answered here; Enter runs it, and an empty field is marked", async () => {
    await using open = await place.open(browser, { path: "tools/files__write_file" });
    const { page } = open;
    await page.getByLabel("path").fill("own.md");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("This is required.").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.id")).toMatch(/-content$/);
    await page.keyboard.type("x");
    await page.keyboard.press("Enter");
    const allow = page.getByRole("button", { name: "Allow once" });
    await expect.poll(() => allow.isEnabled()).toBe(true);
    await allow.click();
    await page.getByText("Done: write_file").waitFor();
    expect(open.errors).toEqual([]);
  });

  test("the browser tells when a call waits and the page is not in view", async () => {
    await using open = await place.open(browser, { path: "approvals" });
    const { page, context } = open;
    await context.grantPermissions(["notifications"]);
    await context.addInitScript(`
      window.told = [];
      window.Notification = class extends EventTarget {
        static permission = "granted";
        static requestPermission = async () => "granted";
        constructor(title, { body }) { super(); window.told.push(title + ": " + body); }
      };`);
    await page.reload();
    await page.getByRole("button", { name: "Notify me" }).click();
    await page.getByRole("button", { name: "Notifies you" }).waitFor();
    await page.evaluate(`Object.defineProperty(document, "visibilityState", { get: () => "hidden" })`);
    const call = write("t.md");
    await expect.poll(() => page.evaluate("told")).toEqual(["Clawport: A call waits for your approval."]);
    await page.locator("[data-call]").waitFor();
    await page.keyboard.press("n");
    await call;
  });
});
