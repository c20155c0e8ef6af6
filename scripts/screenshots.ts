import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openBrowser } from "../tests/support/open-browser.ts";
import type { OpenConsole } from "../tests/console/page/open-console.ts";
import { until } from "../tests/support/until.ts";
import { openDemoPlace } from "./screenshots/demo-place.ts";
import { shrinkPng } from "./screenshots/shrink-png.ts";

/**
 * Makes the pictures of the console in docs/images: each page, dark and light, wide and narrow, from a real hub with real
 * servers. `npm run screenshots -- overview tools` makes only those pages.
 */
const [folder = join("docs", "images"), only] = [process.env["CLAWPORT_IMAGES"], process.argv.slice(2)];

interface Shot {
  readonly name: string;
  readonly path: string;
  /** What is done on the page before the picture. */
  prepare?(open: OpenConsole): Promise<void>;
}

const shots: readonly Shot[] = [
  { name: "overview", path: "" },
  { name: "servers", path: "servers/files" },
  {
    name: "sign-in",
    path: "servers/calendar",
    prepare: async ({ page }) => page.getByRole("button", { name: "Sign in", exact: true }).click(),
  },
  { name: "add-server", path: "servers/+add?by=command" },
  {
    name: "tools",
    path: "tools/paint__draw",
    async prepare({ page }) {
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByAltText("Image of the result").waitFor();
    },
  },
  { name: "approvals", path: "approvals", prepare: openFirst },
  { name: "changed-tool", path: "approvals/changed/notes__search" },
  {
    name: "rules",
    path: "approvals/rules",
    async prepare({ page }) {
      await page.getByRole("button", { name: "Add a rule" }).click();
      await page.getByLabel("The tool of rule 4").fill("paint__*");
      await page.locator("[data-trial]", { hasText: /[1-9]\d*\s*ask/ }).waitFor();
    },
  },
  {
    name: "activity",
    path: "activity",
    async prepare({ page }) {
      if ((page.viewportSize()?.width ?? 0) > 1000)
        await page
          .getByRole("link", { name: /files__move_file/ })
          .first()
          .click();
    },
  },
  { name: "usage", path: "usage" },
  { name: "unused", path: "usage/unused" },
  { name: "machine", path: "machine" },
  { name: "apps", path: "apps" },
  {
    name: "agent",
    path: "agent",
    async prepare({ page }) {
      await page.getByLabel("The order").fill("/mcp servers");
      await page.getByRole("button", { name: "Send" }).click();
      await page.locator("[data-answer]").waitFor();
    },
  },
  { name: "settings", path: "settings" },
  { name: "clients", path: "settings/clients" },
  { name: "set-up", path: "welcome" },
];

const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 720 } } as const;

await mkdir(folder, { recursive: true });
await using demo = await openDemoPlace();
const browser = await openBrowser("/usr/bin/chromium");
try {
  for (const dark of [true, false])
    for (const [size, viewport] of Object.entries(sizes)) {
      await using open = await demo.console.open(browser, { dark, ...viewport });
      demo.ask();
      await open.page.getByRole("link", { name: /^Review/ }).waitFor();
      for (const shot of shots) {
        if (only.length > 0 && !only.includes(shot.name)) continue;
        await open.go(shot.path);
        const file = `console-${shot.name}-${dark ? "dark" : "light"}${size === "narrow" ? "-narrow" : ""}.png`;
        await settled(open.page);
        await shot.prepare?.(open);
        await settled(open.page);
        await plainPaths(open.page, demo.console.place.folder);
        await writeFile(join(folder, file), shrinkPng(await open.page.screenshot()));
        console.log(file);
        // The next page must not show a notice of this one.
        if (shot.prepare !== undefined) await open.page.reload();
        await open.page.locator("[data-connection=live]").waitFor();
      }
      await open.go("approvals");
      await openFirst(open);
      await open.page.keyboard.press("n");
      // The hub is told once the denial can't be taken back any more.
      await open.page.locator("[data-held]").waitFor();
      await open.page.locator("[data-held]").waitFor({ state: "detached" });
    }
} finally {
  await browser.close();
}

/** On a narrow screen a question is opened before it is seen. */
async function openFirst({ page }: OpenConsole): Promise<void> {
  await page.locator("[data-list] a").first().click();
  await page.getByText("Allow once").waitFor();
  await until(() => page.getByRole("button", { name: "Allow once" }).isEnabled());
}

async function settled(page: Page): Promise<void> {
  await page.locator("main > *").first().waitFor();
  await until(async () => (await page.locator("main [aria-busy=true]").count()) === 0);
  await page.waitForTimeout(250);
}

/** The temporary folder of this run stands for the home of a user. */
async function plainPaths(page: Page, folder: string): Promise<void> {
  await page.evaluate(`{
    const replace = (text) => text.replaceAll(${JSON.stringify(folder)}, "/home/ada").replaceAll("/home/ada/state", "/home/ada/.openclaw/mcp");
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode.nodeValue;
      if (text.includes(${JSON.stringify(folder)})) walker.currentNode.nodeValue = replace(text);
    }
  }`);
}
