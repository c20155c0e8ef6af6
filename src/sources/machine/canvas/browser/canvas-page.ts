import { Fault } from "../../../../core/fault.ts";
import { asRecord } from "../../../../core/is-record.ts";
import { quoted } from "../../../../core/text/peer-text.ts";
import { orAborted, settledWithin, withDeadline } from "../../../../core/wait.ts";
import { CapabilityFault } from "../../capability.ts";
import type { WindowPlace } from "./chromium-flags.ts";
import type { DevTools, DevToolsObject } from "./devtools.ts";

/** The one page of the canvas. */
export interface CanvasPage {
  /** Resolves when the page is loaded. Faults with CANVAS_NAV_TIMEOUT, or CANVAS_NAV_FAILED. */
  load(url: string, signal: AbortSignal): Promise<void>;
  /** Shows a page of the caller, at an address that leads nowhere. */
  show(html: string, signal: AbortSignal): Promise<void>;
  /** The address of what is shown. Not what the page itself says. */
  url(): Promise<string>;
  /** The status of the answer that brought the page; undefined if there is none. */
  status(): Promise<number | undefined>;
  /** Runs a script and returns its value, awaited, as plain data. */
  evaluate(script: string, timeoutMs: number, signal?: AbortSignal): Promise<unknown>;
  setTitle(title: string): Promise<void>;
  /** Also shows a window that was minimized. */
  move(place: Partial<WindowPlace>): Promise<void>;
  minimize(): Promise<void>;
  send(method: string, params?: DevToolsObject, signal?: AbortSignal): Promise<DevToolsObject>;
}

/** The host of pages that a caller brings. The proxy does not know it: its pages come through the pipe. */
export const ownOrigin = "http://canvas.localhost";

const loadMs = 30_000;
const askMs = 2000;

/** Opens the page of a browser that has just started, and keeps it the only one. `onGone` is called when it is no more. */
export async function openPage(
  devtools: DevTools,
  onGone: (why: string) => void,
  signal: AbortSignal,
): Promise<CanvasPage> {
  let session: string | undefined;
  let target: string | undefined;
  let content: { readonly url: string; readonly html: string } | undefined;
  let shown = 0;
  const found = Promise.withResolvers<void>();
  /** By its loader, the document that the page began last. */
  let loader = "";
  const loaded = new Set<() => void>();
  const quietly = (work: Promise<unknown>): void => void work.catch(() => {});

  const send = (method: string, params?: DevToolsObject, until?: AbortSignal): Promise<DevToolsObject> =>
    devtools.send(method, params, { session, signal: until });

  function attached(params: DevToolsObject): void {
    const { targetId, type } = asRecord(params["targetInfo"]);
    if (type !== "page" || typeof targetId !== "string") return;
    if (target === undefined) {
      [target, session] = [targetId, String(params["sessionId"])];
      return found.resolve();
    }
    // A popup, or a window that the user has opened.
    if (targetId !== target) closeOther(targetId, String(params["sessionId"]));
  }

  /** It waits for us before it loads anything, and the page that opened it waits, too: it must go on to be closed. */
  function closeOther(targetId: string, other: string): void {
    quietly(devtools.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] }, { session: other }));
    quietly(devtools.send("Runtime.runIfWaitingForDebugger", {}, { session: other }));
    quietly(devtools.send("Target.closeTarget", { targetId }));
  }

  function fulfil({ requestId, request, resourceType, frameId }: DevToolsObject): void {
    const url = String(asRecord(request)["url"]);
    const isOwn = resourceType === "Document" && frameId === target && url === content?.url;
    const answer = isOwn
      ? { requestId, responseCode: 200, responseHeaders: htmlHeaders, body: base64(content?.html ?? "") }
      : { requestId, errorReason: "BlockedByClient" };
    quietly(send(isOwn ? "Fetch.fulfillRequest" : "Fetch.failRequest", answer));
  }

  devtools.onEvent((event) => {
    const { method, params } = event;
    if (method === "Target.attachedToTarget" && event.session === undefined) attached(params);
    if (method === "Target.targetDestroyed" && params["targetId"] === target) onGone("The window was closed.");
    if (method === "Target.targetCrashed" && params["targetId"] === target) onGone("The page crashed.");
    if (event.session === undefined || event.session !== session) return;
    if (method === "Fetch.requestPaused") fulfil(params);
    if (method === "Page.javascriptDialogOpening") quietly(send("Page.handleJavaScriptDialog", { accept: false }));
    if (method === "Page.lifecycleEvent") followLoads(params);
  });

  await devtools.send("Browser.setDownloadBehavior", { behavior: "deny" }, { signal });
  await devtools.send("Target.setDiscoverTargets", { discover: true }, { signal });
  const follow = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: [{ type: "page" }] };
  await devtools.send("Target.setAutoAttach", follow, { signal });
  await withDeadline(loadMs, signal, () => found.promise);
  await send("Page.enable", {}, signal);
  await send("Page.setLifecycleEventsEnabled", { enabled: true }, signal);
  const patterns = [`${ownOrigin}/*`, "file:*"].map((urlPattern) => ({ urlPattern }));
  await send("Fetch.enable", { patterns }, signal);
  await send("Runtime.runIfWaitingForDebugger", {}, signal);

  function followLoads({ frameId, loaderId, name }: DevToolsObject): void {
    if (frameId !== target) return;
    if (name === "init") loader = String(loaderId);
    if (name !== "load" || loaderId !== loader) return;
    for (const done of loaded) done();
  }

  async function navigate(url: string, ended: AbortSignal): Promise<void> {
    const before = loader;
    const done = Promise.withResolvers<void>();
    // The page may go on to another one before it has loaded: that one counts, then.
    const check = (): void => (loader === before ? undefined : done.resolve());
    loaded.add(check);
    try {
      const { errorText, loaderId } = await send("Page.navigate", { url }, ended);
      if (typeof errorText === "string" && errorText !== "")
        throw new CapabilityFault("CANVAS_NAV_FAILED", `${quoted(url)} could not be loaded (${errorText}).`);
      // Without a loader only the part after # has changed.
      if (typeof loaderId === "string") await orAborted(done.promise, ended);
    } finally {
      loaded.delete(check);
    }
  }

  async function load(url: string, callSignal: AbortSignal): Promise<void> {
    try {
      await withDeadline(loadMs, callSignal, (ended) => navigate(url, ended));
    } catch (error) {
      if (callSignal.aborted || (error instanceof Fault && error.code === "timeout")) quietly(send("Page.stopLoading"));
      if (callSignal.aborted || !(error instanceof Fault) || error.code !== "timeout") throw error;
      throw new CapabilityFault("CANVAS_NAV_TIMEOUT", `${quoted(url)} did not load within ${loadMs / 1000} s.`, {
        code: "timeout",
        cause: error,
      });
    }
  }

  /** In a world of its own, where the page can't have replaced what the script uses. */
  async function inOwnWorld(expression: string): Promise<unknown> {
    const ask = async (): Promise<unknown> => {
      const { executionContextId } = await send("Page.createIsolatedWorld", { frameId: target, worldName: "clawport" });
      const { result } = await send("Runtime.evaluate", { expression, contextId: executionContextId, timeout: askMs });
      return asRecord(result)["value"];
    };
    return withDeadline(askMs, undefined, ask).catch(() => undefined);
  }

  async function evaluate(expression: string, ended: AbortSignal): Promise<unknown> {
    // With `replMode` a script may use `await`, but a promise that is its last value is not awaited. Chromium gets no
    // `timeout`: it answers a script that it ended in two ways, one of which is "Internal error".
    const params = { expression, awaitPromise: true, replMode: true, objectGroup };
    const { objectId, subtype, value } = valueOrThrow(await send("Runtime.evaluate", params, ended));
    if (typeof objectId !== "string") return value;
    const answer =
      subtype === "promise"
        ? await send("Runtime.awaitPromise", { promiseObjectId: objectId, returnByValue: true }, ended)
        : await send("Runtime.callFunctionOn", { objectId, functionDeclaration: itself, returnByValue: true }, ended);
    return valueOrThrow(answer)["value"];
  }

  return {
    send,
    load(url, callSignal) {
      content = undefined;
      return load(url, callSignal);
    },
    show(html, callSignal) {
      content = { url: `${ownOrigin}/${++shown}`, html };
      return load(content.url, callSignal);
    },
    async url() {
      // The browser's own process answers, even if the page hangs.
      const { currentIndex, entries } = await withDeadline(askMs, undefined, () => send("Page.getNavigationHistory"));
      const current = Array.isArray(entries) ? asRecord(entries[Number(currentIndex)])["url"] : undefined;
      return typeof current === "string" ? current : "";
    },
    async status() {
      const status = await inOwnWorld("performance.getEntriesByType('navigation')[0]?.responseStatus");
      return typeof status === "number" && status > 0 ? status : undefined;
    },
    async evaluate(script, timeoutMs, callSignal) {
      try {
        return await withDeadline(timeoutMs, callSignal, (ended) => evaluate(script, ended));
      } finally {
        quietly(send("Runtime.releaseObjectGroup", { objectGroup }));
      }
    },
    async setTitle(title) {
      await inOwnWorld(`void (document.title = ${JSON.stringify(title)})`);
    },
    move: ({ width, height, x: left, y: top }) => setBounds({ windowState: "normal", width, height, left, top }),
    minimize: () => setBounds({ windowState: "minimized" }),
  };

  async function setBounds(bounds: DevToolsObject): Promise<void> {
    const { windowId } = await devtools.send("Browser.getWindowForTarget", { targetId: target });
    // A window manager may take its time, or refuse.
    await settledWithin(devtools.send("Browser.setWindowBounds", { windowId, bounds }), askMs);
  }
}

/** A script threw. */
export class ScriptFault extends Fault {
  constructor(message: string) {
    super("unavailable", message);
  }
}

const htmlHeaders = [
  { name: "content-type", value: "text/html; charset=utf-8" },
  { name: "cache-control", value: "no-store" },
];

const objectGroup = "clawport";
const itself = "function () { return this; }";

function valueOrThrow({ result, exceptionDetails }: DevToolsObject): DevToolsObject {
  if (exceptionDetails !== undefined) throw new ScriptFault(describeException(asRecord(exceptionDetails)));
  return asRecord(result);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function describeException({ exception, text }: DevToolsObject): string {
  const { description, value } = asRecord(exception);
  const said = typeof description === "string" ? description.split("\n")[0] : (value ?? text);
  return typeof said === "string" ? said.slice(0, 1000) : JSON.stringify(said).slice(0, 1000);
}
