import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { until } from "../support/until.ts";
import { type Created, startProxy } from "./start-proxy.ts";

vi.setConfig({ testTimeout: 60_000 });

const root = join(import.meta.dirname, "../..");
const chromium = await requireDebianPackage("chromium", "/usr/bin/chromium");
const websockets = await requireDebianPackage(
  "python3-websockets",
  "/usr/lib/python3/dist-packages/websockets/__init__.py",
);
const tokens = { OPENCLAW_PROXY_APP_TOKEN: "app-secret", OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw-secret" };

/** A program that tells its addresses on its output, ended with it. */
async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(command, args, { env: { PATH: process.env["PATH"], ...env }, cwd: root });
  const ended = once(child, "exit");
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  return {
    /** The first address that comes after these words. */
    async address(after: string): Promise<string> {
      const found = () => new RegExp(`${after}(http://\\S+)`).exec(said)?.[1];
      await until(() => found() !== undefined || child.exitCode !== null, `an address of ${args.join(" ")}`);
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
    const env = { PROXY_URL: proxy.address, PORT: "0", OPENCLAW_PROXY_APP_TOKEN: "app-secret" };
    const args = ["--import", join(import.meta.dirname, "from-source.ts"), "examples/app/notes.ts"];
    await using app = await run(process.execPath, args, env);
    const session = { mcp_url: await app.address("MCP clients connect to ") } as Created;
    await expect.poll(() => proxy.call(session, "list_notes")).toBe('{"notes":[]}');
    expect(await proxy.call(session, "add_note", { text: "buy <b>bread</b>" })).toBe('{"notes":1}');
    const browser = await openBrowser(chromium ?? "");
    try {
      const tab = await browser.newPage();
      await tab.goto(await app.address("The page is at "));
      await tab.waitForSelector("li");
      expect(await tab.textContent("li")).toBe("buy <b>bread</b>");
    } finally {
      await browser.close();
    }
  });
});

describe.skipIf(websockets === undefined)("the app in Python", () => {
  test("is what the documentation says, and works, also after the proxy was gone", async () => {
    const [, snippet] = /```python\n([\s\S]*?)```/.exec(await readFile(join(root, "docs/proxy.md"), "utf8")) ?? [];
    const folder = await mkdtemp(join(tmpdir(), "python-app-"));
    try {
      await writeFile(join(folder, "app.py"), snippet ?? "");
      await using proxy = await startProxy({ env: tokens, heartbeatMs: 100 });
      const env = { PROXY_URL: proxy.address, OPENCLAW_PROXY_APP_TOKEN: "app-secret" };
      await using app = await run("/usr/bin/python3", [join(folder, "app.py")], env);
      const session = { mcp_url: await app.address("") } as Created;
      const call = (text: unknown) => proxy.call(session, "echo_text", { text });
      await expect.poll(() => call("hello")).toBe('{"echoed_text":"hello"}');
      expect(await call(7)).toMatch(/^!Wrong arguments/);
      await proxy.restart();
      await expect.poll(() => call("again"), { timeout: 30_000 }).toBe('{"echoed_text":"again"}');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
