import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { openHome } from "../../../src/core/files/home.ts";
import { createSignInLink, type SignInLink } from "../../../src/doors/console/sign-in-link.ts";
import { findRunningHub } from "../../../src/hub/state/hub-record.ts";
import { makePlace, type Place, type RunningHub, startReady } from "../../support/cli/run-clawport.ts";
import { buildPage } from "./build-page.ts";
import { program } from "../../setup/programs.ts";

const studio = program("tests/console/page/fixtures/studio-server.ts");

/** The settings of one of the servers in `fixtures/studio-server.ts`. */
export function studioServer(kind: string, flag = ""): object {
  return { command: process.execPath, args: [studio, kind, flag], pidNamespace: "off" };
}

export interface ConsolePlace extends AsyncDisposable {
  readonly place: Place;
  readonly origin: string;
  readonly hub: RunningHub;
  token(): Promise<string>;
  /** A link that signs a browser in, once. */
  link(terminal?: boolean): Promise<SignInLink>;
  /** Ends the hub, without its consent if wanted. */
  stop(): Promise<void>;
  /** Starts it again at the same port. */
  restart(): Promise<void>;
  /** Opens the console in a new profile of the browser, by a link that a terminal made unless told otherwise. */
  open(browser: Browser, options?: OpenOptions): Promise<OpenConsole>;
}

export interface OpenOptions {
  readonly terminal?: boolean;
  readonly path?: string;
  readonly dark?: boolean;
  readonly width?: number;
  readonly height?: number;
}

export interface OpenConsole extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors on the browser's console: a broken policy, a script that fails. */
  readonly errors: string[];
  go(path: string): Promise<void>;
}

interface ConsolePlaceOptions {
  readonly given?: Place;
  readonly port?: number;
  /** What serves the console: `clawport up` unless given. */
  readonly command?: "up" | "node";
  prepare?(place: Place): Promise<void>;
}

/** A hub in a process of its own, with this configuration, and its console. */
export async function openConsolePlace(config: object, options: ConsolePlaceOptions = {}): Promise<ConsolePlace> {
  await buildPage();
  const place = options.given ?? (await makePlace());
  await mkdir(place.home, { recursive: true, mode: 0o700 });
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify(config, undefined, 2));
  await options.prepare?.(place);
  const start = (port: number): Promise<RunningHub> =>
    startReady(place, options.command ?? "up", "--json", "--port", String(port));
  let hub = await start(options.port ?? 0);
  const { port } = hub.ready;
  const origin = `http://127.0.0.1:${port}`;
  const home = await openHome(place.home);
  const link = async (terminal = true): Promise<SignInLink> => {
    const running = await findRunningHub(home);
    if (running === undefined) throw new Error("no hub is running");
    return createSignInLink({ home, hub: running, terminal });
  };
  return {
    place,
    origin,
    link,
    get hub() {
      return hub;
    },
    token: async () => (await readFile(hub.ready.tokenPath, "utf8")).trim(),
    async stop() {
      await hub[Symbol.asyncDispose]();
    },
    async restart() {
      hub = await start(port);
    },
    async open(browser, { terminal = true, path = "", dark = false, width = 1280, height = 800 } = {}) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
      const page = await context.newPage();
      const errors: string[] = [];
      page.on("console", (message) => {
        // A request that the hub refuses is shown on the page.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
          errors.push(message.text());
      });
      page.on("pageerror", (error) => errors.push(String(error)));
      const { url } = await link(terminal);
      await page.goto(url);
      await page.locator("[data-connection=live]").waitFor();
      const go = async (to: string): Promise<void> => {
        const address = JSON.stringify(`/console/${to}`);
        await page.evaluate(`history.pushState(null, "", ${address}); dispatchEvent(new PopStateEvent("popstate"))`);
      };
      if (path !== "") await go(path);
      return { page, context, errors, go, [Symbol.asyncDispose]: () => context.close() };
    },
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      if (options.given === undefined) await place[Symbol.asyncDispose]();
    },
  };
}
