import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createMemorySessionStore } from "../../src/sources/apps/store/session-store.ts";
import { openBrowser } from "../support/open-browser.ts";
import { runProgram } from "../support/cli/run-shell.ts";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { until } from "../support/until.ts";
import { type Created, startProxy } from "./start-proxy.ts";

vi.setConfig({ testTimeout: 60_000 });

const root = join(import.meta.dirname, "../..");
const chromium = await requireDebianPackage("chromium");
const websockets = await requireDebianPackage("python3-websockets");
const curl = await requireDebianPackage("curl");
const tokens = { OPENCLAW_PROXY_APP_TOKEN: "app-secret", OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw-secret" };
const fromSource = ["--import", join(import.meta.dirname, "from-source.ts")];

/** A program whose every word is kept, ended with it. */
async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(command, args, { env: { PATH: process.env["PATH"], ...env }, cwd: root });
  const ended = once(child, "close");
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  return {
    child,
    ended,
    get said() {
      return said;
    },
    /** What it has last said after these words. */
    async word(after: string): Promise<string> {
      const found = () => [...said.matchAll(new RegExp(`${after}(\\S+)`, "g"))].at(-1)?.[1];
      await until(() => found() !== undefined || child.exitCode !== null, `${after} of ${args.join(" ")}`);
      return found() ?? Promise.reject(new Error(said));
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

describe.skipIf(chromium === undefined)("the example app", () => {
  test("shows on its page what a client adds by its tools", async () => {
    await using proxy = await startProxy({ env: tokens });
    await using app = await runNotes({ ...placeOf(proxy), OPENCLAW_PROXY_APP_TOKEN: "app-secret" });
    const session = { mcp_url: await app.word("MCP_URL=") } as Created;
    await expect.poll(() => proxy.call(session, "list_notes")).toBe('{"notes":[]}');
    expect(await proxy.call(session, "add_note", { text: "buy <b>bread</b>" })).toBe('{"notes":1}');
    const browser = await openBrowser(chromium ?? "");
    try {
      const tab = await browser.newPage();
      await tab.goto(await app.word("The page is at "));
      await tab.waitForSelector("li");
      expect(await tab.textContent("li")).toBe("buy <b>bread</b>");
    } finally {
      await browser.close();
    }
  });
});

test("the example app reports in one line that its token is wrong, or that no proxy answers", async () => {
  await using proxy = await startProxy({ env: tokens });
  await using refused = await runNotes({ ...placeOf(proxy), OPENCLAW_PROXY_APP_TOKEN: "wrong" });
  expect(await refused.ended).toEqual([1, null]);
  expect(refused.said).toMatch(/^The proxy refused \(401\): .*OPENCLAW_PROXY_APP_TOKEN.*\n$/);
  await proxy.close();
  await using alone = await runNotes(placeOf(proxy));
  expect(await alone.ended).toEqual([1, null]);
  expect(alone.said).toBe(`No proxy answers at ${proxy.address} (ECONNREFUSED). Start one with \`clawport proxy\`.\n`);
});

test("a second copy of the example app says that the port of its page is taken, and leaves no session behind", async () => {
  await using proxy = await startProxy({ env: tokens });
  const env = { ...placeOf(proxy), OPENCLAW_PROXY_APP_TOKEN: "app-secret" };
  await using first = await runNotes(env);
  const { port } = new URL(await first.word("The page is at "));
  await using second = await runNotes({ ...env, PORT: port });
  expect(await second.ended).toEqual([1, null]);
  expect(second.said).toMatch(/\nThe page can't be served: .*EADDRINUSE.* Choose another port with PORT=8081\.\n$/);
  const session = { mcp_url: await second.word("MCP_URL=") } as Created;
  expect((await proxy.rpc(session, "tools/list")).status).toBe(404);
});

test("the app in TypeScript is what the documentation says, is callable, and ends with Ctrl-C", async () => {
  await using proxy = await startProxy({ env: tokens });
  const [, snippet = ""] = /```ts\n([\s\S]*?)```/.exec(await page()) ?? [];
  const script = snippet.replace("http://127.0.0.1:8000", proxy.address);
  const args = [...fromSource, "--input-type=module-typescript", "--eval", script];
  await using app = await run(process.execPath, args, { OPENCLAW_PROXY_APP_TOKEN: "app-secret" });
  const session = { mcp_url: await app.word("MCP_URL=") } as Created;
  await expect.poll(() => proxy.call(session, "add_note", { text: "a" })).toBe('{"added":"a"}');
  app.child.kill("SIGINT");
  expect(await app.ended).toEqual([0, null]);
  expect((await proxy.rpc(session, "tools/list")).status).toBe(404);
});

describe.skipIf(websockets === undefined)("the app in Python", () => {
  const appToken = { OPENCLAW_PROXY_APP_TOKEN: "app-secret" };

  test("works as documented, and reconnects after a restart of the proxy", async () => {
    await using proxy = await startProxy({ env: tokens, heartbeatMs: 100 });
    await using app = await runPython({ ...placeOf(proxy), ...appToken });
    const session = { mcp_url: await app.word("MCP_URL=") } as Created;
    const call = (text: unknown) => proxy.call(session, "echo_text", { text });
    await expect.poll(() => call("hello")).toBe('{"echoed_text":"hello"}');
    expect(await call(7)).toMatch(/^!Wrong arguments/);
    await proxy.restart();
    await expect.poll(() => call("again"), { timeout: 30_000 }).toBe('{"echoed_text":"again"}');
  });

  test("opens a new session if the proxy has lost the old one, and Ctrl-C ends it silently", async () => {
    await using proxy = await startProxy({ env: tokens, openStore: () => Promise.resolve(createMemorySessionStore()) });
    await using app = await runPython({ ...placeOf(proxy), ...appToken });
    const first = await app.word("MCP_URL=");
    await expect.poll(() => proxy.call({ mcp_url: first } as Created, "echo_text", { text: "1" })).toContain("1");
    await proxy.restart();
    await until(async () => (await app.word("MCP_URL=")) !== first, "a second session", 30_000);
    const second = { mcp_url: await app.word("MCP_URL=") } as Created;
    await expect.poll(() => proxy.call(second, "echo_text", { text: "2" })).toContain("2");
    const before = app.said;
    app.child.kill("SIGINT");
    expect(await app.ended).toEqual([0, null]);
    expect(app.said).toBe(before);
  });

  test("exits if its token is wrong, and prints the proxy's error", async () => {
    await using proxy = await startProxy({ env: tokens });
    await using app = await runPython({ ...placeOf(proxy), OPENCLAW_PROXY_APP_TOKEN: "wrong" });
    expect(await app.ended).toEqual([1, null]);
    expect(app.said).toMatch(/^HTTP Error 401: Unauthorized .*with the app token of this proxy/);
  });
});

describe.skipIf(curl === undefined)("the commands of the documentation", () => {
  test("open a session by hand, call it at both addresses, look at it, replace its tools, delete it", async () => {
    await using proxy = await startProxy({ env: tokens });
    const env = { PROXY: proxy.address, ...tokens };
    const [opening = "", using = ""] = await commands(/^(?:PROXY|SESSION)=.*\n/);
    const [made] = (await answers(opening, env)) as [Created];
    const own = { SESSION: made.mcpSessionId, BRIDGE_TOKEN: made.bridge_token, MCP_TOKEN: made.mcp_token };
    const noApp = { result: { content: [{ text: "Bridge is not connected" }], isError: true } };
    const state = { device_name: "desktop", tools: 1 };
    expect(await answers(using, { ...env, ...own })).toMatchObject([noApp, noApp, state, { ok: true }, { ok: true }]);
  });

  test("list the tools of the example app and call one", async () => {
    await using proxy = await startProxy({ env: tokens });
    await using app = await runNotes({ ...placeOf(proxy), OPENCLAW_PROXY_APP_TOKEN: "app-secret" });
    const session = { mcp_url: await app.word("MCP_URL=") } as Created;
    await expect.poll(() => proxy.call(session, "list_notes")).toBe('{"notes":[]}');
    const [script = ""] = await commands(/^(?=curl "\$MCP_URL")/);
    expect(await answers(script, { MCP_URL: session.mcp_url, MCP_TOKEN: await app.word("MCP_TOKEN=") })).toMatchObject([
      { result: { tools: [{ name: "add_note" }, { name: "list_notes" }] } },
      { result: { structuredContent: { notes: 1 } } },
    ]);
  });
});

/** What the commands of a script answered, one JSON after the other. */
async function answers(script: string, env: Record<string, string>): Promise<unknown[]> {
  const { exit, out } = await runProgram("sh", ["-ec", script], { env: { PATH: process.env["PATH"], ...env } });
  expect(exit).toBe(0);
  return out.split(/(?<=\})(?=\{)/).map((each) => JSON.parse(each));
}

/** The scripts on the page that begin so, without that. */
async function commands(beginning: RegExp): Promise<string[]> {
  const scripts = [...(await page()).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script]) => script!);
  return scripts.filter((script) => beginning.test(script)).map((script) => script.replace(beginning, ""));
}

function page(): Promise<string> {
  return readFile(join(root, "docs/proxy.md"), "utf8");
}

function placeOf({ address }: { address: string }) {
  return { OPENCLAW_PROXY_SERVER_URL: address };
}

function runNotes(env: NodeJS.ProcessEnv) {
  return run(process.execPath, [...fromSource, "examples/app/notes.ts"], { PORT: "0", ...env });
}

async function runPython(env: NodeJS.ProcessEnv) {
  const [, snippet = ""] = /```python\n([\s\S]*?)```/.exec(await page()) ?? [];
  return run("/usr/bin/python3", ["-c", snippet], env);
}
