import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openBrowser } from "../support/open-browser.ts";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { listenHere } from "../support/listen-here.ts";
import { openLine } from "./open-line.ts";
import { type Created, startProxy } from "./start-proxy.ts";

const chromium = await requireDebianPackage("chromium");
const attached = { state: "attached" } as const;
const appFolder = join(import.meta.dirname, "../../src/app");

const script = `
  import { openApp } from "/index.ts";
  const query = new URL(location.href).searchParams;
  try {
    window.app = await openApp({
      proxyUrl: query.get("proxy"),
      appToken: "app-secret",
      tools: [{ name: "title", run: () => ({ title: document.title }) }],
      heartbeatSeconds: Number(query.get("heartbeat") ?? 15),
      onConnected: (is) => {
        if (is) document.body.dataset.times = Number(document.body.dataset.times ?? 0) + 1;
        document.body.dataset.state = is ? "connected" : "lost";
      },
    });
    document.body.dataset.url = app.session.mcpUrl;
  } catch (error) {
    document.body.dataset.state = "failed: " + error.message;
  }`;
const page = `<!doctype html><title>A page with tools</title><body><script type="module">${script}</script>`;

/** The page, and the client as a browser takes it. */
async function openSite() {
  const server = createServer((request, response) => {
    const name = /^\/([a-z-]+\.ts)$/.exec(request.url ?? "")?.[1];
    if (name === undefined) return void response.writeHead(200, { "content-type": "text/html" }).end(page);
    const text = stripTypeScriptTypes(readFileSync(join(appFolder, name), "utf8"));
    response.writeHead(200, { "content-type": "text/javascript" }).end(text);
  });
  const listening = await listenHere(server);
  return { ...listening, origin: `http://localhost:${listening.port}` };
}

describe.skipIf(chromium === undefined)("the app client in a real browser", () => {
  test("lets a page offer tools only if its origin is allowed", { timeout: 60_000 }, async () => {
    const env = { OPENCLAW_PROXY_APP_TOKEN: "app-secret", OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw-secret" };
    await using site = await openSite();
    await using open = await startProxy({ env, allowedOrigins: [site.origin] });
    await using closed = await startProxy({ env });
    const browser = await openBrowser(chromium ?? "");
    try {
      const tab = await browser.newPage();
      await tab.goto(`${site.origin}/?proxy=${encodeURIComponent(open.address)}`);
      await tab.waitForSelector("body[data-state=connected][data-url]", attached);
      const mcp_url = await tab.getAttribute("body", "data-url");
      expect(await open.call({ mcp_url } as Created, "title")).toBe('{"title":"A page with tools"}');
      await tab.goto(`${site.origin}/?proxy=${encodeURIComponent(closed.address)}`);
      await tab.waitForSelector("body[data-state^=failed]", attached);
      expect(await tab.getAttribute("body", "data-state")).toContain(
        `allows no page of ${site.origin}. Start it with \`clawport proxy --allow-origin ${site.origin}\`.`,
      );
      await tab.goto(`${site.origin}/?proxy=${encodeURIComponent("http://127.0.0.1:1")}`);
      await tab.waitForSelector("body[data-state^=failed]", attached);
      expect(await tab.getAttribute("body", "data-state")).toContain("Start one with `clawport proxy`.");
      await expect.poll(() => open.call({ mcp_url } as Created, "title")).toBe("!Bridge is not connected");
    } finally {
      await browser.close();
    }
  });

  test("reconnects if the old connection is silently dead", { timeout: 60_000 }, async () => {
    const env = { OPENCLAW_PROXY_APP_TOKEN: "app-secret" };
    await using site = await openSite();
    await using proxy = await startProxy({ env, allowedOrigins: [site.origin] });
    await using line = await openLine(Number(new URL(proxy.address).port));
    const browser = await openBrowser(chromium ?? "");
    try {
      const tab = await browser.newPage();
      const address = `http://127.0.0.1:${line.port}`;
      await tab.goto(`${site.origin}/?heartbeat=0.5&proxy=${encodeURIComponent(address)}`);
      await tab.waitForSelector("body[data-times][data-url]", attached);
      line.freeze();
      await tab.waitForSelector("body[data-times]:not([data-times='1'])", attached);
      const { pathname } = new URL((await tab.getAttribute("body", "data-url")) ?? "");
      const session = { mcp_url: proxy.address + pathname } as Created;
      await expect.poll(() => proxy.call(session, "title")).toBe('{"title":"A page with tools"}');
    } finally {
      await browser.close();
    }
  });
});
