import { randomUUID } from "node:crypto";
import type { CallContext } from "../../catalog/call-context.ts";
import { mayControl } from "../../catalog/caller.ts";
import { isFault, toFault } from "../../core/fault.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { orAborted } from "../../core/wait.ts";
import { missingCapability } from "../../mcp/messages/client-facts.ts";
import type { Question } from "../../mcp/messages/interim-messages.ts";
import type { SignIns } from "./sign-ins.ts";
import { type StartedSignIn, startSignIn } from "./start-sign-in.ts";

/**
 * Signs in for a call that needs it; `scope` is what it lacks, undefined if no call works. Returns whether the call can be
 * sent again, or the address where its user can sign in meanwhile.
 */
export type StepUp = (server: string, scope: string | undefined, context: CallContext) => Promise<boolean | URL>;

/** What happened to a sign-in while no one waited for it. */
export type SignInEvent =
  /** The user had signed in, and has to do so again. */
  | { readonly kind: "lost"; readonly server: string }
  /** One that began with the error of a call has ended; `problem` says why the user is not signed in. */
  | { readonly kind: "ended"; readonly server: string; readonly problem?: string | undefined };

/**
 * Sends the user of the calling client to the authorization server, and waits until they are done. A chat of OpenClaw can't
 * be sent anywhere: a run of its owner gets the address. False if the caller can't be asked, or may not sign in: everyone
 * uses the sign-in, so it takes the same right as `clawport auth`.
 */
export function createStepUp(signIns: SignIns, tell: (event: SignInEvent) => void = () => {}): StepUp {
  /** By server and scope: calls that lack the same permissions share one. */
  const running = new Map<string, Promise<boolean | URL>>();

  return async (server, scope, context) => {
    const { caller, client, signal } = context;
    const isOwnersRun = caller.door === "plugin" && caller.isOwner === true;
    const key = JSON.stringify([server, scope]);
    if (isOwnersRun) return shared(key, (end) => leaveAddress(signIns, server, scope, context, tell, end));
    if (scope === undefined || !mayControl(caller)) return false;
    if (client !== undefined && missingCapability(client, questionFor(server, scope, "", "")) !== undefined)
      return false;
    // If the other call ends before its user is done, this one can ask on its own next time.
    return orAborted(
      shared(key, (end) => signIn(signIns, server, scope, context).finally(end)),
      signal,
    );
  };

  /** What runs for this key already, or something new that says when it has ended. */
  function shared(key: string, begin: (end: () => void) => Promise<boolean | URL>): Promise<boolean | URL> {
    const other = running.get(key);
    if (other !== undefined) return other.catch(() => false);
    const begun = begin(() => running.delete(key));
    running.set(key, begun);
    return begun;
  }
}

/** Begins a sign-in that goes on after the call; the address is undefined if there is none. */
async function leaveAddress(
  signIns: SignIns,
  server: string,
  scope: string | undefined,
  { log }: CallContext,
  tell: (event: SignInEvent) => void,
  end: () => void,
): Promise<boolean | URL> {
  try {
    // On another device there is no address to send the user to.
    if ((await signIns.methodFor({ server })).device) return (end(), false);
    const started = await startSignIn(signIns, server, { scope, signal: new AbortController().signal });
    if (started.kind === "signed-in") return (end(), true);
    void started.done
      .then(
        () => tell({ kind: "ended", server }),
        (error: unknown) => tell({ kind: "ended", server, problem: toFault(error).message }),
      )
      .finally(end);
    return started.url;
  } catch (error) {
    end();
    log.warn("could not begin a sign-in", { server, error: toFault(error).message });
    return false;
  }
}

async function signIn(signIns: SignIns, server: string, scope: string, context: CallContext): Promise<boolean> {
  const ending = new AbortController();
  const signal = AbortSignal.any([context.signal, ending.signal]);
  try {
    // On another device there is no address to send the user to.
    if ((await signIns.methodFor({ server })).device) return false;
    const started = await startSignIn(signIns, server, { scope, signal });
    return started.kind === "signed-in" || (await waitForUser(started, server, scope, context));
  } catch (error) {
    if (context.signal.aborted) throw error;
    // The call then says what it lacks, and which command gets it.
    if (!isFault(error, "missing-capability"))
      context.log.warn("could not sign in with more permissions", { server, error: toFault(error).message });
    return false;
  } finally {
    ending.abort();
  }
}

async function waitForUser(
  { url, done }: StartedSignIn,
  server: string,
  scope: string,
  context: CallContext,
): Promise<boolean> {
  const id = randomUUID();
  let isDone = false;
  void done.then(() => (isDone = true)).catch(() => {});
  const { action } = await orAborted(context.ask(questionFor(server, scope, url.href, id)), context.signal);
  if (action !== "accept" && !isDone) return false;
  await done;
  context.elicitationComplete?.(id);
  return true;
}

function questionFor(server: string, scope: string, url: string, elicitationId: string): Question {
  const message = `This call to ${server} needs more permissions than you signed in with: ${quoted(scope, 300)}. Sign in with them in a browser.`;
  return { method: "elicitation/create", params: { mode: "url", message, url, elicitationId } };
}
