import { Fault, isFault } from "../../../core/fault.ts";
import type { CanvasConfig } from "../../../core/config/machine-config.ts";
import type { Log } from "../../../core/log.ts";
import { quoted } from "../../../core/text/peer-text.ts";
import { settledWithin, withDeadline } from "../../../core/wait.ts";
import { type Capability, CapabilityFault, invalidRequest } from "../capability.ts";
import type { Machine } from "../machine.ts";
import type { A2uiMessage } from "./a2ui/a2ui-messages.ts";
import { type A2uiBoard, type A2uiDump, openBoard } from "./a2ui/a2ui-board.ts";
import { type CanvasPage, openPage, ownOrigin, ScriptFault } from "./browser/canvas-page.ts";
import { takePicture, type PagePicture, type PictureOptions } from "./browser/take-picture.ts";
import type { WindowPlace } from "./browser/chromium-flags.ts";
import { findChromium } from "./browser/find-chromium.ts";
import { type Chromium, startChromium } from "./browser/start-chromium.ts";
import { type FilteringProxy, openFilteringProxy } from "../../../core/http/filtering-proxy.ts";
import { createOriginJudge, judgeUrl, type TrustedOrigins } from "./proxy/trusted-origins.ts";
import { createSerialQueue } from "../../../core/serial-queue.ts";

/** One browser window for pages that callers show to the user. */
export interface Canvas {
  present(request: PresentRequest, call: CanvasCall): Promise<ShownPage>;
  navigate(url: string, call: CanvasCall): Promise<ShownPage>;
  /** Whether there was a window to hide. Its page stays as it is; `present` shows it again. */
  hide(): Promise<boolean>;
  evaluate(script: string, timeoutMs: number, call: CanvasCall): Promise<unknown>;
  snapshot(options: PictureOptions, call: CanvasCall): Promise<PagePicture>;
  pushA2ui(messages: readonly A2uiMessage[], call: CanvasCall): Promise<readonly string[]>;
  resetA2ui(call: CanvasCall): Promise<void>;
  dumpA2ui(): Promise<A2uiDump>;
  close(): Promise<void>;
}

/** What the capabilities stand on. */
export interface CanvasPort {
  /** Loads what drives a browser, with the first call that needs it. */
  canvas(): Promise<Canvas>;
  probe: NonNullable<Capability["probe"]>;
}

export interface CanvasOptions extends Pick<Machine, "env" | "platform" | "homedir"> {
  readonly config: CanvasConfig;
  readonly trusted: TrustedOrigins;
  /** For the profiles of browsers. */
  readonly folder: string;
  readonly log: Log;
}

export interface CanvasCall {
  readonly signal: AbortSignal;
  step(message: string): void;
}

export interface PresentRequest {
  readonly url?: string | undefined;
  readonly html?: string | undefined;
  readonly title?: string | undefined;
  /** Only what is to change. */
  readonly place: Partial<WindowPlace>;
}

export interface ShownPage {
  readonly url: string;
  readonly status: number | undefined;
  /** Whether the user can see it: there is a display. */
  readonly windowed: boolean;
}

interface Window {
  readonly page: CanvasPage;
  isHidden?: boolean;
  /** What is on the page, while it is what `canvas.a2ui.push` has put there. */
  board?: A2uiBoard | undefined;
  close(why: string): Promise<void>;
}

const defaultSize = { width: 800, height: 600 };
const maxResultBytes = 1024 * 1024;
const unresponsiveMs = 1000;
const openMs = 30_000;
const closeMs = 10_000;

export function createCanvas(options: CanvasOptions): Canvas {
  const { config, trusted, env, platform, log } = options;
  const headless = platform !== "darwin" && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"];
  let window: Window | undefined;
  let isOpening = false;
  let ended = new AbortController();
  const runSerially = createSerialQueue();

  /** What changes the page happens one after the other; `close` ends all of it. */
  function change<T>({ signal }: CanvasCall, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return runSerially(() => work(AbortSignal.any([signal, ended.signal])), signal);
  }

  async function open(place: Partial<WindowPlace>, signal: AbortSignal): Promise<Window> {
    const command = await findChromium(config, options);
    if (command === undefined) throw new CapabilityFault("CANVAS_UNAVAILABLE", "Chromium was not found.");
    const proxy = await openFilteringProxy({ judge: createOriginJudge(trusted), log, who: "the canvas" });
    let chromium: Chromium | undefined;
    try {
      chromium = await startChromium(
        { ...options, ...defaultSize, ...place, command, headless, sandbox: config.sandbox, proxyPort: proxy.port },
        signal,
      );
      return await openWindow(chromium, proxy, signal);
    } catch (error) {
      await chromium?.close();
      await proxy.close();
      throw error;
    }
  }

  async function openWindow(chromium: Chromium, proxy: FilteringProxy, signal: AbortSignal): Promise<Window> {
    let closing: Promise<void> | undefined;
    const close = (why: string): Promise<void> => {
      if (window?.page === page) window = undefined;
      closing ??= Promise.all([chromium.close(), proxy.close()]).then(() =>
        log.debug("the canvas is closed", { why, refusedRequests: proxy.refused() }),
      );
      return closing;
    };
    const closeLater = (why: string): void =>
      void close(why).catch((error: unknown) => log.warn("could not clean up after the canvas", { error }));
    const page: CanvasPage = await withDeadline(openMs, signal, (opened) =>
      openPage(chromium.devtools, closeLater, opened),
    );
    void chromium.lost.then(closeLater);
    return { page, close };
  }

  async function requireWindow(place: Partial<WindowPlace>, signal: AbortSignal, call: CanvasCall): Promise<Window> {
    if (window === undefined) {
      call.step("Starting the browser.");
      isOpening = true;
      window = await open(place, signal).finally(() => (isOpening = false));
    } else if (Object.keys(place).length > 0) await window.page.move(place);
    return window;
  }

  function openedWindow(): Window {
    if (window !== undefined) return window;
    throw new CapabilityFault("CANVAS_NOT_OPEN", "The canvas is not open. Call canvas.present first.", {
      code: "conflict",
    });
  }

  function requireTrusted(text: string): string {
    const url = URL.parse(text);
    if (url === null) throw invalidRequest(`${quoted(text)} is not a URL.`);
    const reason = judgeUrl(url, trusted);
    if (reason !== undefined) throw blocked(text, reason);
    return url.href;
  }

  /** A redirect may have led elsewhere: to a page that says that it was refused. */
  async function requireTrustedPage(page: CanvasPage): Promise<string> {
    const text = await page.url();
    const url = URL.parse(text);
    if (url?.origin === ownOrigin || text === "about:blank") return text;
    // Made by a page that was allowed, so it can do what that page could.
    const origin = url?.protocol === "blob:" ? URL.parse(url.origin) : url;
    const reason = origin === null ? "is not a URL" : judgeUrl(origin, trusted);
    if (reason !== undefined) throw blocked(text, reason);
    return text;
  }

  async function show(opened: Window, { url, html, title }: PresentRequest, signal: AbortSignal): Promise<ShownPage> {
    const { page } = opened;
    if (url !== undefined || html !== undefined) opened.board = undefined;
    try {
      if (url !== undefined) await page.load(url, signal);
      else if (html !== undefined) await page.show(html, signal);
    } catch (error) {
      // The reason is the proxy's, though a browser only says that there is no way.
      if (isFault(error) && !signal.aborted) await requireTrustedPage(page);
      if (isFault(error, "timeout")) await closeIfHung(opened);
      throw error;
    }
    const at = await requireTrustedPage(page);
    if (title !== undefined) await page.setTitle(title);
    return { url: at, status: url === undefined ? undefined : await page.status(), windowed: !headless };
  }

  /** The page hangs: only a new browser helps. */
  async function closeIfHung({ page, close }: Window): Promise<string> {
    const isAlive = await page.evaluate("1", unresponsiveMs).then((value) => value === 1, () => false); // prettier-ignore
    if (isAlive) return "";
    await close("the page hung");
    return " The page hung, so the canvas was closed.";
  }

  async function evaluate(opened: Window, script: string, timeoutMs: number, signal: AbortSignal): Promise<unknown> {
    try {
      return await opened.page.evaluate(script, timeoutMs, signal);
    } catch (error) {
      if (error instanceof ScriptFault) throw new CapabilityFault("CANVAS_EVAL_FAILED", error.message);
      if (!isFault(error, "timeout") && !isFault(error, "cancelled"))
        throw new CapabilityFault("CANVAS_EVAL_FAILED", messageFor(error), { cause: error });
      await settledWithin(opened.page.send("Runtime.terminateExecution"), unresponsiveMs);
      const closed = await closeIfHung(opened);
      if (signal.aborted) throw error;
      throw new CapabilityFault("CANVAS_EVAL_TIMEOUT", `The script took longer than ${timeoutMs} ms.${closed}`, {
        code: "timeout",
      });
    }
  }

  async function requireBoard(opened: Window, signal: AbortSignal): Promise<A2uiBoard> {
    opened.board ??= await openBoard(opened.page, signal);
    return opened.board;
  }

  return {
    async hide() {
      if (isOpening)
        await settledWithin(
          runSerially(() => Promise.resolve()),
          openMs,
        );
      if (window === undefined) return false;
      window.isHidden = true;
      await window.page.minimize();
      return true;
    },
    present: (request, call) =>
      change(call, async (signal) => {
        const { url, place } = request;
        const trustedUrl = url === undefined ? undefined : requireTrusted(url);
        const opened = await requireWindow(place, signal, call);
        if (opened.isHidden) await opened.page.move({});
        opened.isHidden = false;
        call.step("Loading the page.");
        return show(opened, { ...request, url: trustedUrl }, signal);
      }),
    navigate: (url, call) =>
      change(call, async (signal) => {
        const trustedUrl = requireTrusted(url);
        const opened = await requireWindow({}, signal, call);
        call.step("Loading the page.");
        return show(opened, { url: trustedUrl, place: {} }, signal);
      }),
    async evaluate(script, timeoutMs, { signal }) {
      const opened = openedWindow();
      await requireTrustedPage(opened.page);
      const result = await evaluate(opened, script, timeoutMs, AbortSignal.any([signal, ended.signal]));
      if ((JSON.stringify(result)?.length ?? 0) > maxResultBytes)
        throw new CapabilityFault("PAYLOAD_TOO_LARGE", `The result is larger than ${maxResultBytes} bytes.`, {
          code: "too-large",
        });
      return result;
    },
    async snapshot(pictureOptions, { signal }) {
      const opened = openedWindow();
      try {
        return await takePicture(opened.page, pictureOptions, AbortSignal.any([signal, ended.signal]));
      } catch (error) {
        if (!isFault(error, "timeout")) throw error;
        const closed = await closeIfHung(opened);
        throw new CapabilityFault("CANVAS_SNAPSHOT_FAILED", `The page was not drawn in time.${closed}`, {
          cause: error,
        });
      }
    },
    pushA2ui: (messages, call) =>
      change(call, async (signal) => {
        const opened = await requireWindow({}, signal, call);
        const board = await requireBoard(opened, signal);
        return board.push(messages, signal);
      }),
    resetA2ui: (call) =>
      change(call, async (signal) => {
        if (window?.board !== undefined) window.board = await openBoard(window.page, signal);
      }),
    async dumpA2ui() {
      return (await openedWindow().board?.dump()) ?? { surfaces: {}, actions: [] };
    },
    async close() {
      const pending = runSerially(() => Promise.resolve());
      ended.abort(new CapabilityFault("CANVAS_NOT_OPEN", "The canvas was closed.", { code: "conflict" }));
      ended = new AbortController();
      await window?.close("the canvas was closed");
      await settledWithin(pending, closeMs);
    },
  };
}

function blocked(url: string, reason: string): CapabilityFault {
  const isWeb = /^https?:/i.test(url);
  const next = isWeb
    ? "The user can add its origin to `machine.canvas.trustedOrigins`."
    : "Only pages of trusted origins can be shown.";
  const message = `${quoted(url)} ${reason}. ${next}`;
  return new CapabilityFault("CANVAS_NAV_BLOCKED", message, { code: "denied" });
}

function messageFor(error: unknown): string {
  return error instanceof Fault ? error.message : "The script could not be run.";
}
