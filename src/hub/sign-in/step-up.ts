import { randomUUID } from "node:crypto";
import type { CallContext } from "../../catalog/call-context.ts";
import { mayControl } from "../../catalog/caller.ts";
import { isFault, toFault } from "../../core/fault.ts";
import { quoted } from "../../core/peer-text.ts";
import { orAborted } from "../../core/wait.ts";
import { missingCapability } from "../../mcp/messages/client-facts.ts";
import type { Question } from "../../mcp/messages/interim-messages.ts";
import type { SignInsControl } from "../control/sign-ins.ts";
import { type StartedSignIn, startSignIn } from "./start-sign-in.ts";

/** Signs in for the permissions that a call lacks. Returns whether the call can be sent again. */
export type StepUp = (server: string, scope: string, context: CallContext) => Promise<boolean>;

/**
 * Sends the user of the calling client to the authorization server, and waits until they are done. False if the caller
 * can't be asked, or may not sign in: everyone uses the sign-in, so it takes the same right as `clawport auth`.
 */
export function createStepUp(signIns: SignInsControl): StepUp {
  /** By server and scope: calls that lack the same permissions share one. */
  const running = new Map<string, Promise<boolean>>();

  return async (server, scope, context) => {
    const { caller, client, signal } = context;
    if (!mayControl(caller)) return false;
    if (client !== undefined && missingCapability(client, questionFor(server, scope, "", "")) !== undefined)
      return false;
    const key = JSON.stringify([server, scope]);
    const other = running.get(key);
    // If the other call ends before its user is done, this one can ask on its own next time.
    if (other !== undefined)
      return orAborted(
        other.catch(() => false),
        signal,
      );
    const signingIn = signIn(signIns, server, scope, context).finally(() => running.delete(key));
    running.set(key, signingIn);
    return signingIn;
  };
}

async function signIn(signIns: SignInsControl, server: string, scope: string, context: CallContext): Promise<boolean> {
  const ending = new AbortController();
  const signal = AbortSignal.any([context.signal, ending.signal]);
  try {
    // On another device there is no address to send the user to.
    if ((await signIns.wayOf(server)).device) return false;
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
