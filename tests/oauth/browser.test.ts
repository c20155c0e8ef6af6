import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Request } from "playwright-core";
import { expect, test } from "vitest";
import { openCallbackListener } from "../../src/hub/sign-in/callback-listener.ts";
import { openBrowser } from "../support/open-browser.ts";
import { clawport } from "../support/cli/run-clawport.ts";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { listenHere } from "../support/listen-here.ts";
import { until } from "../support/until.ts";
import { openOAuthPlace } from "./open-oauth-place.ts";

const chromium = await requireDebianPackage("chromium");
const fixture = join(import.meta.dirname, "fixtures", "chromium.ts");

test.skipIf(chromium === undefined)(
  "`clawport auth` signs in through a real browser, consent page and all",
  { timeout: 90_000 },
  async () => {
    await using bench = await openOAuthPlace();
    const journal = join(bench.place.folder, "chromium.txt");
    const env = { ...bench.place.env, BROWSER: `${process.execPath} ${fixture} ${journal} %s` };
    const { exit, out, err } = await clawport({ ...bench.place, env }, "auth", "one");
    const seen = async () => readFile(journal, "utf8").catch(() => "");
    await until(async () => (await seen()) !== "", "a page", 60_000);
    expect(JSON.parse(await seen())).toMatchObject({
      asked: expect.stringContaining("mcp:read"),
      ended: expect.stringMatching(/Signed in to one[\s\S]*close this tab/),
    });
    expect(out).toMatch(/^Signed in to one, expires (60m|1h), scopes mcp:read\. It has 2 tools\.\n$/);
    expect(err).toContain("Your browser opens");
    expect(exit).toBe(0);
  },
);

test.skipIf(chromium === undefined)(
  "a page of another site can't finish a sign-in, even if it knew the state",
  { timeout: 60_000 },
  async () => {
    const serve = createServer((_, response) => response.setHeader("content-type", "text/html").end("<body>"));
    await using site = await listenHere(serve);
    const listener = await openCallbackListener();
    const browser = await openBrowser(chromium ?? "");
    try {
      const page = await browser.newPage();
      await page.goto(`http://evil.test:${site.port}/`);
      const coming = listener.expect("known");
      const over: string[] = [];
      const note = (request: Request): void => void over.push(new URL(request.url()).searchParams.get("way") ?? "");
      page.on("requestfinished", note);
      page.on("requestfailed", note);
      await page.evaluate(async (address) => {
        const url = (way: string): string => `${address}?code=stolen&state=known&way=${way}`;
        const body = (
          globalThis as unknown as { document: { body: { insertAdjacentHTML(where: string, html: string): void } } }
        ).document.body;
        await fetch(url("script"), { mode: "no-cors" }).catch(() => {});
        await fetch(url("post"), { mode: "no-cors", method: "POST" }).catch(() => {});
        body.insertAdjacentHTML("beforeend", `<img src="${url("picture")}"><iframe src="${url("frame")}"></iframe>`);
      }, listener.redirectUri);
      await until(() => ["script", "post", "picture", "frame"].every((way) => over.includes(way)));
      const going = page.goto(`${listener.redirectUri}?code=good&state=known`);
      const callback = await coming;
      expect(callback.query.get("code")).toBe("good");
      callback.show({ ok: true, title: "Signed in", text: "Done." });
      await going;
    } finally {
      await listener.close();
      await browser.close();
    }
  },
);
