import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Fault } from "../../core/fault.ts";
import { judgeCallback } from "./callback-query.ts";

export interface CallbackListenerOptions {
  /** A free one unless given. */
  readonly port?: number | undefined;
  readonly path?: string | undefined;
  /** How the redirect address names this machine. */
  readonly host?: "127.0.0.1" | "localhost" | undefined;
}

/** The redirect that was waited for. The browser waits too, until it is told how it went. */
export interface Callback {
  readonly query: URLSearchParams;
  show(page: CallbackPage): void;
}

/** Takes one redirect on this machine and is gone. */
export interface CallbackListener {
  readonly redirectUri: string;
  /** Lets the redirect with this `state` in, and no other. Rejects when the listener is closed before it comes. */
  expect(state: string): Promise<Callback>;
  close(): Promise<void>;
}

export async function openCallbackListener(options: CallbackListenerOptions = {}): Promise<CallbackListener> {
  const { port: wanted = 0, path = "/callback", host: name = "127.0.0.1" } = options;
  const arrived = Promise.withResolvers<Callback>();
  arrived.promise.catch(() => {});
  let expected: string | undefined;
  let isTaken = false;
  let isAnswered = false;

  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    const { method, url, headers } = request;
    request.resume();
    const verdict = judgeCallback({ method, target: url, headers }, { host, path, state: expected });
    if (!verdict.pass)
      return show(response, verdict.status, { ok: false, title: "Not signed in", text: verdict.reason });
    if (isTaken) {
      const text = "This sign-in was answered already. Nothing more can be done here; you can close this tab.";
      return show(response, 410, { ok: false, title: "Used already", text });
    }
    isTaken = true;
    // Nobody new is let in from here on.
    server.close();
    arrived.resolve({
      query: verdict.query,
      show(page) {
        isAnswered = true;
        show(response, page.ok ? 200 : 400, page);
      },
    });
  });
  await listen(server, wanted);
  const { port } = server.address() as AddressInfo;
  const host = `${name}:${port}`;

  return {
    redirectUri: `http://${host}${path}`,
    expect(state) {
      expected = state;
      return arrived.promise;
    },
    async close() {
      arrived.reject(new Fault("cancelled", "The sign-in was given up."));
      const closed = server.listening ? new Promise((resolve) => server.close(resolve)) : Promise.resolve();
      server.closeIdleConnections();
      // What was said to the browser still goes out.
      if (!isAnswered) server.closeAllConnections();
      await closed;
    },
  };
}

function show(response: ServerResponse, status: number, page: CallbackPage): void {
  response.writeHead(status, callbackPageHeaders);
  response.end(renderCallbackPage(page));
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const what =
        cause.code === "EADDRINUSE" ? `Port ${port}, where the sign-in should end, is taken.` : cause.message;
      reject(new Fault("conflict", `${what} Stop what holds it, or change auth.redirectPort.`, { cause }));
    });
    // Never 0.0.0.0: what comes here opens somebody's account.
    server.listen(port, "127.0.0.1", resolve);
  });
}

export interface CallbackPage {
  readonly ok: boolean;
  readonly title: string;
  readonly text: string;
}

/** A page that loads nothing, runs nothing and tells no other site where it came from. */
const callbackPageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  connection: "close",
} as const;

function renderCallbackPage({ ok, title, text }: CallbackPage): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  main { max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem }
  h1 { font-size: 1.4rem; border-left: .3rem solid ${ok ? "#2a8" : "#c43"}; padding-left: .8rem }
</style>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
</main>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
