import { Fault, toFault } from "../../core/fault.ts";
import { sleep } from "../../core/wait.ts";
import type { SignInControl, SignInRequest, SignInWay } from "../control/sign-in-control.ts";
import {
  type Callback,
  type CallbackListener,
  type CallbackListenerOptions,
  openCallbackListener,
} from "./callback-listener.ts";
import { parsePastedCallback } from "./callback-query.ts";

/** A sign-in that waits for its person. */
export interface StartedSignIn {
  readonly kind: "waiting";
  /** To be opened in a browser. */
  readonly url: URL;
  /** Resolves when it is finished: by the browser that comes back here, by `paste`, or in another process. */
  readonly done: Promise<void>;
  /** Finishes it with what a person copied from the browser. */
  paste(text: string): Promise<void>;
  /** Listens no longer. It can still be finished with the code, in any process. */
  leave(): Promise<void>;
}

export interface SignInOptions extends SignInRequest {
  /** Gives it up: nothing of it is left then. */
  readonly signal: AbortSignal;
  /** How long the person has; ten minutes unless given. */
  readonly timeoutMs?: number | undefined;
  /** How often it is looked whether another process finished it. */
  readonly pollMs?: number | undefined;
}

/** How often a sign-in that waits no more is looked for before it counts as given up. */
const graceChecks = 30;

export async function startSignIn(
  auth: SignInControl,
  server: string,
  options: SignInOptions,
): Promise<StartedSignIn | { readonly kind: "signed-in" }> {
  const { scope, issuer, signal, timeoutMs: timeoutMs = 600_000, pollMs: pollMs = 1000 } = options;
  const before = await signedInAt();
  const { listener, redirectUri } = await openRedirectTarget(await auth.wayOf(server));
  const begun = await auth.begin(server, { scope, issuer, redirectUri }).catch(async (error: unknown) => {
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
  const giveUp = (): void => over.reject(new Fault("cancelled", "The sign-in was given up."));
  const timer = setTimeout(() => over.reject(signInTimedOut(server)), timeoutMs);
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  listener?.expect(state).then(receive, () => {});
  void watchOthers();

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
      const text = "You can close this tab and go back to where you came from.";
      callback.show({ ok: true, title: `Signed in to ${server}`, text });
      over.resolve();
    } catch (error) {
      callback.show({ ok: false, title: `Not signed in to ${server}`, text: toFault(error).message });
      over.reject(error);
    }
  }

  /** Whoever mistyped may try again. */
  async function paste(text: string): Promise<void> {
    await finish(parsePastedCallback(text), true);
    over.resolve();
  }

  async function finish(query: URLSearchParams, isPasted: boolean): Promise<void> {
    isBusy = true;
    try {
      await auth.finish(server, query.toString(), isPasted);
    } finally {
      isBusy = false;
    }
  }

  async function watchOthers(): Promise<void> {
    for (let gone = 0; !ending.signal.aborted;) {
      await sleep(pollMs, ending.signal).catch(() => {});
      if (isBusy || (await auth.isWaiting(server, state).catch(() => true)) || isBusy) continue;
      const at = await signedInAt().catch(() => undefined);
      // Who was signed in all along is not by this sign-in.
      if (at !== undefined && at !== before) over.resolve();
      // Whoever took it may still be on the way to the token.
      else if (++gone > graceChecks)
        over.reject(new Fault("cancelled", `The sign-in to ${server} was given up elsewhere.`));
    }
  }

  async function signedInAt(): Promise<number | undefined> {
    const status = await auth.status(server);
    return status.kind === "signed-in" ? status.signedInAt : undefined;
  }

  async function close(): Promise<void> {
    ending.abort();
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
    await listener?.close();
    // After a sign-in that worked there is nothing left to forget.
    if (!isLeft) await auth.cancel(server, state).catch(() => {});
  }
}

interface RedirectTarget {
  readonly redirectUri: string;
  /** Nothing where the browser comes back to somewhere else. */
  readonly listener?: CallbackListener;
}

async function openRedirectTarget({ uri, port }: SignInWay): Promise<RedirectTarget> {
  if (uri === undefined) return listenAt({ port });
  const wanted = new URL(uri);
  const host = wanted.hostname;
  if (wanted.protocol !== "http:" || (host !== "127.0.0.1" && host !== "localhost")) return { redirectUri: uri };
  // An address without a port stands for any (RFC 8252 § 7.3); one with a port was registered as it is written.
  if (wanted.port === "") return listenAt({ port, host, path: wanted.pathname });
  const { listener } = await listenAt({ port: Number(wanted.port), host, path: wanted.pathname });
  return { listener, redirectUri: uri };
}

async function listenAt(options: CallbackListenerOptions): Promise<Required<RedirectTarget>> {
  const listener = await openCallbackListener(options);
  return { listener, redirectUri: listener.redirectUri };
}

function signInTimedOut(server: string): Fault {
  return new Fault("timeout", `Nobody signed in to ${server} in time. Try again: clawport auth ${server}`);
}
