import { Fault, isFault, toFault } from "../../core/fault.ts";
import { sleep } from "../../core/wait.ts";
import { signInLifetimeMs } from "../../sources/servers/oauth/connection-auth.ts";
import type { SignInRequest, SignIns, SignInMethod } from "./sign-ins.ts";
import {
  type Callback,
  type CallbackListener,
  type CallbackListenerOptions,
  openCallbackListener,
  signInCancelled,
} from "./callback-listener.ts";
import { parsePastedCallback } from "./callback-query.ts";

/** A sign-in that waits for the user. */
export interface StartedSignIn {
  readonly kind: "waiting";
  /** To be opened in a browser. */
  readonly url: URL;
  /** Resolves when it is finished: by the browser, by `paste`, or in another process. */
  readonly done: Promise<void>;
  /** Finishes it with what the user copied from the browser. */
  paste(text: string): Promise<void>;
  /** Stops listening. It can still be finished with the code, in any process. */
  leave(): Promise<void>;
}

export interface SignInOptions extends SignInRequest {
  /** Cancels it and leaves nothing behind. */
  readonly signal: AbortSignal;
  /** How long the user has; ten minutes by default. */
  readonly timeoutMs?: number | undefined;
  /** How often to check whether another process finished it. */
  readonly pollMs?: number | undefined;
}

/** After how many checks a sign-in that another process took, but did not finish, counts as cancelled. */
const graceChecks = 30;

export async function startSignIn(
  auth: SignIns,
  server: string,
  options: SignInOptions,
): Promise<StartedSignIn | { readonly kind: "signed-in" }> {
  const { scope, issuer, signal, timeoutMs = signInLifetimeMs, pollMs = 1000 } = options;
  const before = await signedInAt();
  const { listener, redirectUri } = await openRedirectTarget(await auth.methodFor({ server }));
  const begun = await auth.begin({ server, scope, issuer, redirectUri }).catch(async (error: unknown) => {
    await listener?.close();
    throw error;
  });
  if (begun.kind === "signed-in") {
    await listener?.close();
    return begun;
  }
  const { state } = begun;
  const ending = new AbortController();
  let isBusy = false;
  let isLeft = false;

  const over = Promise.withResolvers<void>();
  const done = end();
  done.catch(() => {});
  const cancel = (): void => over.reject(signInCancelled());
  const timer = setTimeout(() => over.reject(signInTimedOut(server)), timeoutMs);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  listener?.expect(state).then(receive, over.reject);
  void watchOtherProcesses();

  return {
    kind: "waiting",
    url: new URL(begun.url),
    done,
    paste,
    async leave() {
      isLeft = true;
      over.resolve();
      await done;
    },
  };

  async function end(): Promise<void> {
    try {
      await over.promise;
    } finally {
      await close();
    }
  }

  async function receive(callback: Callback): Promise<void> {
    try {
      await finish(callback.query, false);
      const text = "You can close this tab and return to Clawport.";
      callback.show({ ok: true, title: `Signed in to ${server}`, text });
      over.resolve();
    } catch (error) {
      callback.show({ ok: false, title: `Not signed in to ${server}`, text: toFault(error).message });
      over.reject(error);
    }
  }

  /** The user may try again after a mistake. */
  async function paste(text: string): Promise<void> {
    await finish(parsePastedCallback(text), true);
    over.resolve();
  }

  async function finish(query: URLSearchParams, isPasted: boolean): Promise<void> {
    isBusy = true;
    try {
      await auth.finish({ server, query: query.toString(), pasted: isPasted });
    } finally {
      isBusy = false;
    }
  }

  async function watchOtherProcesses(): Promise<void> {
    for (let checks = 0; !ending.signal.aborted;) {
      await sleep(pollMs, ending.signal).catch(() => {});
      if (isBusy || (await auth.isWaiting({ server, state }).catch(() => true)) || isBusy) continue;
      const at = await signedInAt().catch(() => undefined);
      // A sign-in from before does not count.
      if (at !== undefined && at !== before) over.resolve();
      // The other process may still be waiting for the token.
      else if (++checks > graceChecks)
        over.reject(new Fault("cancelled", `The sign-in to ${server} was cancelled by another process.`));
    }
  }

  async function signedInAt(): Promise<number | undefined> {
    const status = await auth.status({ server });
    return status.kind === "signed-in" ? status.signedInAt : undefined;
  }

  async function close(): Promise<void> {
    ending.abort();
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    await listener?.close();
    // Does nothing after a successful sign-in.
    if (!isLeft) await auth.cancel({ server, state }).catch(() => {});
  }
}

interface RedirectTarget {
  readonly redirectUri: string;
  /** Undefined if the browser returns to another machine. */
  readonly listener?: CallbackListener;
}

async function openRedirectTarget({ uri, port, lastPort }: SignInMethod): Promise<RedirectTarget> {
  if (uri === undefined) {
    if (lastPort === undefined) return listenAt({ port });
    return listenAt({ port: lastPort }).catch((error: unknown) => {
      if (!isFault(error, "conflict")) throw error;
      return listenAt({});
    });
  }
  const wanted = new URL(uri);
  const host = wanted.hostname;
  if (wanted.protocol !== "http:" || (host !== "127.0.0.1" && host !== "localhost")) return { redirectUri: uri };
  // Without a port, any port is allowed (RFC 8252 § 7.3); with one, exactly this URI was registered.
  if (wanted.port === "") return listenAt({ port, host, path: wanted.pathname });
  const { listener } = await listenAt({ port: Number(wanted.port), host, path: wanted.pathname });
  return { listener, redirectUri: uri };
}

async function listenAt(options: CallbackListenerOptions): Promise<Required<RedirectTarget>> {
  const listener = await openCallbackListener(options);
  return { listener, redirectUri: listener.redirectUri };
}

function signInTimedOut(server: string): Fault {
  return new Fault(
    "timeout",
    `The sign-in to ${server} was not finished in time. Run \`clawport auth ${server}\` to try again.`,
  );
}
