import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Fault } from "../../core/fault.ts";
import { callbackPath } from "../../sources/servers/oauth/registration/client-document.ts";
import { judgeCallback } from "./callback-query.ts";

export interface CallbackListenerOptions {
  /** A free port by default. */
  readonly port?: number | undefined;
  readonly path?: string | undefined;
  /** The name of this machine in the redirect URI. */
  readonly host?: "127.0.0.1" | "localhost" | undefined;
}

/** The expected redirect. The browser waits until `show` is called. */
export interface Callback {
  readonly query: URLSearchParams;
  show(page: CallbackPage): void;
}

/** Accepts one redirect on this machine, then closes. */
export interface CallbackListener {
  readonly redirectUri: string;
  /** Accepts only the redirect with this `state`, and refuses all others. Rejects if the listener is closed first. */
  expect(state: string): Promise<Callback>;
  close(): Promise<void>;
}

export async function openCallbackListener(options: CallbackListenerOptions = {}): Promise<CallbackListener> {
  const { port: wanted = 0, path = callbackPath, host: hostname = "127.0.0.1" } = options;
  const arrived = Promise.withResolvers<Callback>();
  arrived.promise.catch(() => {});
  let expected: string | undefined;
  let isTaken = false;
  let isAnswered = false;

  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    const { method, url, headers } = request;
    request.resume();
    const verdict = judgeCallback({ method, target: url, headers }, { host, path, state: expected });
    if (!verdict.pass) {
      return show(response, verdict.status, { ok: false, title: "Not signed in", text: verdict.reason });
    }
    if (isTaken) {
      const text = "This sign-in is already finished. You can close this tab.";
      return show(response, 410, { ok: false, title: "Already used", text });
    }
    isTaken = true;
    // No new connections from here on.
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
  const host = `${hostname}:${port}`;

  return {
    redirectUri: `http://${host}${path}`,
    expect(state) {
      expected = state;
      return arrived.promise;
    },
    async close() {
      arrived.reject(signInCancelled());
      const closed = server.listening ? new Promise((resolve) => server.close(resolve)) : Promise.resolve();
      server.closeIdleConnections();
      // A page for the browser is still sent.
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
        cause.code === "EADDRINUSE" ? `Port ${port}, which the sign-in returns to, is in use.` : cause.message;
      reject(
        new Fault("conflict", `${what} Stop the program that uses it, or change \`auth.redirectPort\`.`, { cause }),
      );
    });
    // Never 0.0.0.0: what arrives here gives access to an account.
    server.listen(port, "127.0.0.1", resolve);
  });
}

export function signInCancelled(): Fault {
  return new Fault("cancelled", "The sign-in was cancelled.");
}

export interface CallbackPage {
  readonly ok: boolean;
  readonly title: string;
  readonly text: string;
}

/** The page loads nothing, runs nothing and sends no referrer to other sites. */
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
