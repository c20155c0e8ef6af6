import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openBrowser } from "../../support/open-browser.ts";
import { clawport, listTools } from "../../support/cli/run-clawport.ts";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { until } from "../../support/until.ts";
import { callHub } from "./call-hub.ts";
import { type ConsolePlace, openConsolePlace, studioServer } from "./open-console.ts";
import { useKey } from "./use-key.ts";

const chromium = await requireDebianPackage("chromium");
vi.setConfig({ testTimeout: 60_000 });

const policy = { rules: [{ tool: "files__write_file", verdict: "ask", reason: "it overwrites files" }] };

describe.skipIf(chromium === undefined)("the console", () => {
  let browser: Browser;
  let place: ConsolePlace;
  beforeAll(async () => {
    [browser, place] = await Promise.all([
      openBrowser(chromium ?? ""),
      openConsolePlace({
        servers: { files: studioServer("files"), paint: studioServer("paint") },
        policy,
      }),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await place[Symbol.asyncDispose]();
  });

  test("loads in few requests, all of them the hub's, and forgets the secret in the address", async () => {
    await using context = await disposable(browser);
    const page = await context.newPage();
    const urls: string[] = [];
    page.on("request", (request) => urls.push(request.url()));
    const sizes: Promise<number>[] = [];
    page.on("response", (response) => {
      if (!/\/console\/(?:assets|login)\//.test(response.url())) return;
      sizes.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => responseBodySize),
      );
    });
    const { url } = await place.link();
    await page.goto(url);
    await page.getByRole("heading", { name: "Needs you" }).waitFor();
    expect(page.url()).toBe(`${place.origin}/console/`);
    expect(urls.filter((each) => !each.startsWith(`${place.origin}/console/`))).toEqual([]);
    expect(urls.filter((each) => each.includes("/assets/")).length).toBeLessThanOrEqual(6);
    expect(urls.length).toBeLessThanOrEqual(24);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(60_000);
  });

  test("a server is added by its command, shows its tools and its log, and is switched off, on and removed", async () => {
    await using open = await place.open(browser, { path: "servers" });
    const { page } = open;
    await page.getByRole("link", { name: "Add" }).click();
    await page.getByRole("button", { name: "Command" }).click();
    const { command, args } = studioServer("notes") as { command: string; args: readonly string[] };
    await page
      .getByLabel("Command", { exact: true })
      .fill([command, ...args.slice(0, 2)].map((word) => `"${word}"`).join(" "));
    await page.getByLabel("Name", { exact: true }).fill("notes");
    await page.getByRole("button", { name: "Add server" }).click();
    await page.waitForURL(/\/console\/servers\/notes$/);
    await page.getByRole("link", { name: "notes__search" }).waitFor();
    await expect.poll(() => page.getByRole("region", { name: "Log" }).last().innerText()).toContain("notes: open");
    await page.getByRole("button", { name: "Disable" }).click();
    await page.locator(".detail .state", { hasText: "disabled" }).waitFor();
    await page.getByRole("button", { name: "Enable" }).click();
    await page.locator(".detail .state", { hasText: "Running" }).waitFor();
    await page.getByRole("button", { name: "Remove…" }).click();
    await page.getByRole("button", { name: "Remove notes" }).click();
    await page.waitForURL(/\/console\/servers$/);
    await expect.poll(() => page.getByRole("link", { name: "notes" }).count()).toBe(0);
    expect(await readFile(join(place.place.home, "clawport.json5"), "utf8")).not.toContain("notes");
    expect(open.errors).toEqual([]);
  });

  test("a search that no tool has all words of shows those that come closest, as the command line does", async () => {
    await using open = await place.open(browser, { path: "tools" });
    const { page } = open;
    await page.getByLabel("Search all tools").fill("please draw something nice for grandma");
    await page.getByText("No tool has all of these words. These come closest:").waitFor();
    await page.getByRole("link", { name: /paint__draw/ }).waitFor();
    await page.getByLabel("Search all tools").fill("draw");
    await page.getByText("No tool has all of these words.").waitFor({ state: "detached" });
    expect(open.errors).toEqual([]);
  });

  test("a tool is found, filled in and run: an image, progress that is cancelled, data and a link", async () => {
    await using open = await place.open(browser, { path: "tools" });
    const { page } = open;
    await page.keyboard.press("/");
    await page.keyboard.type("draw");
    await page.getByRole("link", { name: /paint__draw/ }).click();
    await page.getByLabel("width").fill("200");
    await page.getByRole("button", { name: "Run" }).click();
    const image = page.getByAltText("Image of the result");
    await image.waitFor();
    await expect
      .poll(() => image.evaluate((shown) => (shown as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(200);
    await expect.poll(() => page.getByText("A sunset.").isVisible()).toBe(true);

    await open.go("tools/paint__count");
    await page.getByRole("spinbutton").fill("500");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText(/Counted to \d/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("You cancelled the call.").waitFor();

    await open.go("tools/paint__read");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("group", { name: "How to show it" }).getByRole("button", { name: "JSON" }).click();
    await page.getByRole("region", { name: "JSON" }).getByText("colour").waitFor();

    await open.go("tools/paint__link");
    await page.getByRole("button", { name: "Run" }).click();
    const link = page.getByRole("link", { name: "Open", exact: true });
    await page.getByRole("button", { name: "The manual" }).click();
    await page.getByText("https://example.com/a?b=c").waitFor();
    await expect.poll(() => link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(open.errors).toEqual([]);
  });

  test("a call that another client makes waits here, and runs after one key", async () => {
    await using open = await place.open(browser);
    const { page } = open;
    const answer = callHub(place.origin, await place.token(), "files__write_file", { path: "b.txt", content: "x" });
    await page.getByRole("link", { name: /^Review/ }).click();
    await page.getByText("Claude Code (token main)").last().waitFor();
    await expect
      .poll(() => page.locator(".detail").innerText())
      .toMatch(/it overwrites files[\s\S]*Arguments: \{"path":"b\.txt","content":"x"\}/);
    await expect.poll(() => page.getByRole("button", { name: "Allow once" }).isEnabled()).toBe(true);
    await page.keyboard.press("o");
    expect((await answer).result?.content).toEqual([{ type: "text", text: "Done: write_file" }]);
    await page.getByText("Nothing waits for you").waitFor();

    await open.go("activity");
    await page
      .getByRole("link", { name: /files__write_file/ })
      .first()
      .click();
    await page.getByText("Judged").waitFor();
    await expect.poll(() => page.locator(".steps li").count()).toBeGreaterThanOrEqual(3);
    expect(open.errors).toEqual([]);
  });

  test("a long call can be allowed when its end has been seen, and nothing of it is masked or cut", async () => {
    await using open = await place.open(browser);
    const { page } = open;
    const script = `${Array.from({ length: 400 }, (_, at) => `echo ${at}`).join("\n")}\nTOKEN=$(touch\${IFS}/x) ls\u0007`;
    const answer = callHub(place.origin, await place.token(), "files__write_file", { path: "c.txt", content: script });
    await page.getByRole("link", { name: /^Review/ }).click();
    const call = page.getByRole("region", { name: "The call" });
    await call.getByText("echo 399").waitFor();
    const allow = page.getByRole("button", { name: "Allow once" });
    await expect.poll(() => page.getByRole("button", { name: "Not now" }).isEnabled()).toBe(true);
    await expect.poll(() => allow.isEnabled()).toBe(false);
    await expect.poll(() => page.getByRole("button", { name: "Always for this client" }).isEnabled()).toBe(false);
    await page.keyboard.press("o");
    await page.keyboard.press("a");
    await call.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    await page.getByText("You can allow it when you have seen the end").waitFor();
    await expect.poll(() => allow.isEnabled()).toBe(false);
    const shown = await call.innerText();
    for (let at = 0; at < 400; at++) expect(shown).toContain(`echo ${at}\\n`);
    expect(shown).toContain(String.raw`TOKEN=$(touch\${IFS}/x) ls\u0007"`.replace("\\$", "$"));
    await call.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect.poll(() => allow.isEnabled()).toBe(true);
    await page.keyboard.press("o");
    expect((await answer).result?.content).toEqual([{ type: "text", text: "Done: write_file" }]);
    expect(open.errors).toEqual([]);
  });

  test("a call of which only a shortened record is left can be refused, but not allowed", async () => {
    await using own = await openConsolePlace({ servers: { files: studioServer("files") }, policy });
    const content = "x".repeat(5000);
    await callHub(own.origin, await own.token(), "files__write_file", { path: "c.txt", content });
    await own.stop();
    await own.restart();
    await using open = await own.open(browser, { path: "approvals" });
    const { page } = open;
    await page.getByText("Only a shortened record of this call is left").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Not now" }).isEnabled()).toBe(true);
    await expect.poll(() => page.getByRole("button", { name: "Allow once" }).isEnabled()).toBe(false);
    await page.keyboard.press("n");
    await page.getByText("Nothing waits for you").waitFor();
  });

  test("a call that was refused while no one could be asked is not among those that wait", async () => {
    // A hub that no page was open at: one that has just been closed can still be asked for a moment.
    await using own = await openConsolePlace({ servers: { files: studioServer("files") }, policy });
    await callHub(own.origin, await own.token(), "files__write_file", { path: "c.txt", content: "x" });
    await using open = await own.open(browser, { path: "approvals" });
    const { page } = open;
    await page.getByRole("heading", { name: "Refused, because no one answered" }).waitFor();
    await page.getByText("Nothing waits for you").waitFor();
    await expect.poll(() => page.locator(".inbox-row").count()).toBe(1);
    // It can still be answered.
    await clawport(own.place, "approve", "files__write_file", "--deny", "--yes");
    await expect.poll(() => page.locator(".inbox-row").count()).toBe(0);
    expect(open.errors).toEqual([]);
  });

  test("rules are tried on past calls before they are saved", async () => {
    await callHub(place.origin, await place.token(), "files__list_directory", { path: "." }, "Cursor");
    await using open = await place.open(browser, { path: "approvals/rules" });
    const { page } = open;
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByLabel("What rule 2 does").selectOption("deny");
    await page.getByLabel("The tool of rule 2").fill("files__list_*");
    await page.locator("[data-trial]", { hasText: /[1-9]\d*\s*deny/ }).waitFor();
    await page.getByRole("button", { name: "Save rules" }).click();
    await page.getByText("The rules are saved and active.").waitFor();
    const { result } = await callHub(place.origin, await place.token(), "files__list_directory", {}, "Cursor");
    expect(result?.isError).toBe(true);
    expect(open.errors).toEqual([]);
  });

  test("the configuration is checked while it is typed, and saved with its comments after its changes were shown", async () => {
    await using open = await place.open(browser, { path: "settings" });
    const { page } = open;
    const editor = page.getByLabel("Configuration", { exact: true });
    const before = await editor.inputValue();
    await editor.fill(before.replace("{", '{ "hbu": {},'));
    await page.locator("[data-verdict=wrong]").waitFor();
    await page.getByText("did you mean").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Review changes" }).isDisabled()).toBe(true);
    await editor.fill(before.replace("{", "{\n  // Checked by hand.\n"));
    await page.locator("[data-verdict=ok]").waitFor();
    await page.getByRole("button", { name: "Review changes" }).click();
    await page.locator(".diff .add", { hasText: "// Checked by hand." }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved, and active.").waitFor();
    expect(await readFile(join(place.place.home, "clawport.json5"), "utf8")).toContain("// Checked by hand.");
    expect(open.errors).toEqual([]);
  });

  test("a session that no terminal made looks, and changes nothing", async () => {
    await using open = await place.open(browser, { terminal: false, path: "servers/files" });
    const { page } = open;
    await page.getByText("This link may only look.").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Disable" }).isDisabled()).toBe(true);
    const { status } = await useKey(page, "servers.remove", '{"name":"files"}');
    expect(status).toBe(403);
  });

  test("everything is reached by keys", async () => {
    await using open = await place.open(browser);
    const { page } = open;
    await page.keyboard.press("?");
    await page.getByRole("complementary", { name: "Keyboard" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("link", { name: /^files/ }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("pai");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/console\/servers\/paint/);
    await page.goBack();
    await page.waitForURL(/\/console\/servers\?q=pai$/);
    await page.reload();
    await expect.poll(() => page.getByLabel("Search servers").inputValue()).toBe("pai");
  });

  test("the switches of this computer, and a new token that ends the old one", async () => {
    await using open = await place.open(browser, { path: "machine" });
    const { page } = open;
    const status = page.locator("[data-mcp-status]");
    const offered = page.locator("[data-machine-tools]");
    await expect.poll(() => offered.innerText()).toBe("Off");
    await expect.poll(() => status.innerText()).toBe("Listening");
    // It is for `clawport node`: a hub always serves.
    await expect.poll(() => page.getByRole("switch", { name: "Local MCP server" }).count()).toBe(0);
    const node = page.getByRole("switch", { name: "Tools of this computer" });
    await node.click();
    await expect.poll(() => offered.innerText()).toBe("On");
    await expect.poll(() => status.innerText()).toBe("Listening");
    await place.stop();
    await page.locator("[data-connection=lost]").waitFor();
    await expect.poll(() => node.isDisabled()).toBe(true);
    await expect.poll(() => page.locator("main.stale").count()).toBe(1);
    await place.restart();
    await page.getByText("does not prove that it is your hub").waitFor();
    await page.goto((await place.link()).url);
    await page.locator("[data-connection=live]").waitFor();
    await open.go("machine");
    await expect.poll(() => offered.innerText()).toBe("On");
    await page
      .getByLabel(/^Consent for/)
      .first()
      .waitFor();
    await node.click();
    await expect.poll(() => offered.innerText()).toBe("Off");

    // Tokens are in one place, and this page leads there.
    const old = await place.token();
    await expect.poll(() => page.locator("[data-token]").count()).toBe(0);
    await page.getByRole("link", { name: "a token" }).click();
    await page.getByRole("button", { name: "Reveal" }).click();
    await expect.poll(() => page.locator("[data-token]").innerText()).toBe(old);
    expect(await listTools(`${place.origin}/mcp`, old)).toBe(200);
    await page.getByRole("button", { name: "Reset…" }).click();
    await page.getByRole("button", { name: "Reset the token" }).click();
    await until(async () => (await listTools(`${place.origin}/mcp`, old)) === 401);
    expect(await listTools(`${place.origin}/mcp`, await place.token())).toBe(200);
  });

  test("under `clawport node` the page shows its MCP server, its tools and their consent", async () => {
    await using node = await openConsolePlace({}, { command: "node" });
    await using open = await node.open(browser, { path: "machine" });
    const { page } = open;
    const status = page.locator("[data-mcp-status]");
    await expect.poll(() => status.innerText()).toBe("Listening");
    await expect.poll(() => page.locator("[data-machine-tools]").innerText()).toBe("On");
    await expect.poll(() => page.getByRole("switch", { name: "Tools of this computer" }).count()).toBe(0);
    const consent = page.getByLabel("Consent for About this computer");
    await consent.selectOption("ask");
    await expect.poll(() => consent.inputValue()).toBe("ask");
    await page.getByRole("switch", { name: "Local MCP server" }).click();
    await expect.poll(() => status.innerText()).toBe("Disabled");
    await page.getByText("With both switches off, clawport node does not start.").waitFor();
    expect(open.errors).toEqual([]);
  });
});

async function disposable(browser: Browser) {
  const context = await browser.newContext();
  return Object.assign(context, { [Symbol.asyncDispose]: () => context.close() });
}
