import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { silentLog, type Log } from "../../src/core/log.ts";
import { openHttpDoor, type HttpDoor } from "../../src/doors/mcp/http-door.ts";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { startGuard } from "../support/start-guard.ts";
import { testSource } from "../support/test-source.ts";
import { openAttackSite, openNaiveServer, type Site } from "./attack-site.ts";
import { openBrowser } from "../support/open-browser.ts";

const chromium = await requireDebianPackage("chromium");
const curl = await requireDebianPackage("curl");

const longPoll = { timeout: 20_000 };

/** The page knows the token: the gate must stop it all the same. */
const token = "t".repeat(43);

describe.skipIf(chromium === undefined || curl === undefined)("a web page in a real browser", () => {
  let browser: Browser;
  let site: Site;
  beforeAll(async () => {
    browser = await openBrowser(chromium ?? "");
    site = await openAttackSite();
  });
  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  test("reaches a server without a gate in all these ways", { timeout: 60_000 }, async () => {
    await using naive = await openNaiveServer();
    await using page = await openPage(browser, `http://evil.test:${site.port}/`);
    const { names } = await attack(page, `http://127.0.0.1:${naive.port}`);
    const expected = names.filter((name) => !name.startsWith("fetch-same-origin"));
    await expect.poll(() => expected.filter((name) => !naive.arrived.has(name)), longPoll).toEqual([]);
  });

  test.for([
    ["evil.test", "127.0.0.1"],
    ["evil.test", "localhost"],
    ["127.0.0.1", "127.0.0.1"],
    ["localhost", "localhost"],
    ["evil.test", "other.test"],
    ["evil.test", "anything.localhost"],
  ])("on %s reaches no tool at %s in any of these ways", { timeout: 60_000 }, async ([pageHost, doorHost]) => {
    await using door = await openDoor();
    await using page = await openPage(browser, `http://${pageHost}:${site.port}/`);
    await callFromPrograms(door.port);
    const { names, readable } = await attack(page, `http://${doorHost}:${door.port}`);
    const sent = names.filter((name) => !name.startsWith("fetch-same-origin"));
    await expect.poll(() => door.refusals.length, longPoll).toBeGreaterThanOrEqual(sent.length);
    expect(readable).toEqual([]);
    expect(new Set(door.refusals)).toEqual(new Set([403]));
    expect(door.calls).toHaveLength(2);
    await callFromPrograms(door.port);
    expect(door.calls).toHaveLength(4);
  });

  test("reaches no tool after its own host name is rebound to this machine", { timeout: 60_000 }, async () => {
    const evil = await openAttackSite();
    await using page = await openPage(browser, `http://evil.test:${evil.port}/`);
    await evil[Symbol.asyncDispose]();
    await using door = await openDoor(evil.port);
    const { names, readable } = await attack(page, `http://evil.test:${door.port}`);
    await expect.poll(() => door.refusals.length, longPoll).toBeGreaterThanOrEqual(names.length);
    expect(readable).toEqual([]);
    expect(new Set(door.refusals)).toEqual(new Set([403]));
    expect(door.calls).toEqual([]);
    await callFromPrograms(door.port);
    expect(door.calls).toHaveLength(2);
  });
});

/** The same call, with the token, from programs that are not browsers: it is allowed. */
async function callFromPrograms(port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}/mcp`;
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "count", arguments: {} },
  });
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const answer = await fetch(url, { method: "POST", headers, body });
  expect(await answer.json()).toMatchObject({ result: { content: [{ text: "count" }] } });
  const args = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const { stdout } = await promisify(execFile)(curl ?? "", ["-s", ...args, "-d", body, url]);
  expect(JSON.parse(stdout)).toMatchObject({ result: { content: [{ text: "count" }] } });
}

interface WatchedDoor extends AsyncDisposable {
  readonly port: number;
  /** One entry for each time the tool ran. */
  readonly calls: readonly unknown[];
  /** The status of every request that the gate refused. */
  readonly refusals: readonly number[];
}

async function openDoor(port = 0): Promise<WatchedDoor> {
  const refusals: number[] = [];
  const log: Log = {
    ...silentLog,
    debug: (_message, fields) => void (typeof fields?.["status"] === "number" && refusals.push(fields["status"])),
    with: () => log,
  };
  const source = testSource({ tools: ["count"] });
  const catalog = createCatalog({ log });
  catalog.add(source);
  const { guard } = await startGuard();
  const door: HttpDoor = await openHttpDoor({
    host: "127.0.0.1",
    port,
    catalog,
    guard,
    tokens: { match: (presented) => (presented === token ? { name: "main" } : undefined) },
    info: { name: "clawport", version: "0.0.0" },
    log,
  });
  return { port: door.port, calls: source.calls, refusals, [Symbol.asyncDispose]: () => door.close(100) };
}

async function openPage(browser: Browser, url: string): Promise<Page & AsyncDisposable> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  return Object.assign(page, { [Symbol.asyncDispose]: () => context.close() });
}

function attack(page: Page, target: string): Promise<{ names: string[]; readable: string[] }> {
  return page.evaluate(`attack(${JSON.stringify(target)}, ${JSON.stringify(token)})`);
}
