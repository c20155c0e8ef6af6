import type { SignIns } from "../../sign-in/sign-ins.ts";
import { type Fields, flag, type Input, optional, text } from "../input.ts";
import { type Verb, verb, type VerbNeed } from "../verb.ts";

const stepMs = 150_000;
/** Longer than any device code is valid. */
const deviceMs = 3_600_000;

const server = text("The server's name in the configuration.");
const userCode = text();
const state = text();
const request = {
  scope: optional(text("More scopes, separated by spaces.")),
  issuer: optional(text("An authorization server that replaces the previous one.")),
};

/** A row that passes its input on to the method of the same name. */
function row<const Name extends keyof SignIns, const Shape extends Fields>(
  name: Name,
  needs: VerbNeed,
  summary: string,
  input: Shape,
  withinMs = stepMs,
): Verb<Shape, Awaited<ReturnType<SignIns[Name]>>, "hub"> {
  type Output = Awaited<ReturnType<SignIns[Name]>>;
  const run = (signIns: SignIns, given: Input<Shape>) =>
    (signIns[name] as (given: Input<Shape>) => Promise<Output>)(given);
  return verb({ needs, summary, input, withinMs, run: (hub, given) => run(hub.signIns, given) });
}

/** Signing in to the servers. Opening the browser and receiving its callback is left to the caller. */
export const signIns = {
  methodFor: row("methodFor", "look", "What the configuration says about how to sign in.", { server }),
  begin: row("begin", "change", "Begins a sign-in in a browser.", { server, ...request, redirectUri: text() }),
  finish: row("finish", "change", "Finishes it with the query of the callback.", {
    server,
    query: text(),
    pasted: optional(flag("The user typed it.")),
  }),
  cancel: row("cancel", "change", "Cancels a sign-in.", { server, state }),
  isWaiting: row("isWaiting", "look", "Whether a sign-in still waits for its callback.", { server, state }),
  beginDevice: row("beginDevice", "change", "Begins a sign-in on another device: what to enter, and where.", {
    server,
    ...request,
  }),
  awaitDevice: row(
    "awaitDevice",
    "change",
    "Answers when the user has finished on the other device.",
    { server, userCode },
    deviceMs,
  ),
  cancelDevice: row("cancelDevice", "change", "Stops waiting for the other device.", { server, userCode }),
  logout: row("logout", "change", "Signs out.", { server }),
  status: row("status", "look", "Whether the server is signed in to.", { server }),
  list: row("list", "look", "Stored sign-ins, and those that a configured server needs.", {}),
};
