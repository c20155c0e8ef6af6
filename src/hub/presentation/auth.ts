import { Fault, isFault, toFault } from "../../core/fault.ts";
import { countText } from "../../core/text/count-text.ts";
import { visibleText } from "../../core/text/peer-text.ts";
import { orAborted } from "../../core/wait.ts";
import { isoTime } from "../../sources/servers/server-status.ts";
import type { SignInEntry, SignInRequest } from "../sign-in/sign-ins.ts";
import { parsePastedCallback } from "../sign-in/callback-query.ts";
import { type StartedSignIn, startSignIn } from "../sign-in/start-sign-in.ts";
import { expiryText } from "../../sources/servers/server-text.ts";
import type { PresentationContext, Presented } from "./presentation.ts";

/** How to reach the user who signs in. */
export interface SignInUi {
  /** Opens an address in their browser. Returns false if that is not possible. */
  openBrowser?(url: URL): Promise<boolean>;
  /** Shows them what to do while the sign-in waits. */
  show(text: string): void;
  /** What they paste if the browser can't return here. Absent if they can't. Never settles after the signal. */
  paste?(signal: AbortSignal): Promise<string | undefined>;
  /** No one waits for the end: the sign-in continues in the background while this process lives, and then reports. */
  readonly goesOn?: { report(text: string): void };
  readonly signal: AbortSignal;
}

export interface AuthRequest extends SignInRequest {
  readonly server: string;
  /** The code, or the whole address that the browser was sent to. */
  readonly code?: string | undefined;
  /** On another device; the configuration decides unless given. */
  readonly device?: boolean | undefined;
}

/** `auth <server>`: signs in, in a browser, with a pasted code or on another device, and connects the server. */
export async function runAuth(context: PresentationContext, ui: SignInUi, request: AuthRequest): Promise<Presented> {
  const { signIns } = context.control;
  const { server, code, device, scope, issuer } = request;
  if (code !== undefined) {
    await signIns.finish({ server, query: parsePastedCallback(code).toString(), pasted: true });
    return signedIn(context, server);
  }
  if (device ?? (await signIns.methodFor({ server })).device) return signInByDevice(context, ui, request);
  const started = await startSignIn(signIns, server, { scope, issuer, signal: ui.signal }).catch((error: unknown) => {
    if (!isFault(error, "unavailable")) throw error;
    throw new Fault("unavailable", `${error.message} Run \`${context.prefix} status ${server}\` to see why.`, {
      cause: error,
    });
  });
  if (started.kind === "signed-in") return signedIn(context, server);
  const isOpened = (await ui.openBrowser?.(started.url).catch(notOpened)) ?? false;
  if (!isOpened && ui.paste === undefined) return leaveWaiting(context, ui, server, started);
  ui.show(promptText(context, server, started.url, isOpened));
  await orPasted(started, ui);
  return signedIn(context, server);
}

/** `auth <server> --logout`. */
export async function runLogout({ control, prefix }: PresentationContext, server: string): Promise<Presented> {
  const { wasSignedIn, revoked } = await control.signIns.logout({ server });
  if (!wasSignedIn) return { ok: true, data: { server, revoked }, text: `You were not signed in to ${server}.` };
  const how = revoked
    ? "its tokens were revoked"
    : "its tokens were deleted here, but the server could not revoke them";
  // A connection that uses these tokens ends at once.
  await control.servers.refresh({ name: server }).catch(() => {});
  return {
    ok: true,
    data: { server, revoked },
    text: `Signed out of ${server}: ${how}. Run \`${prefix} auth ${server}\` to sign in again.`,
  };
}

/** `auth --list`. */
export async function runAuthList({ control, prefix, now }: PresentationContext): Promise<Presented> {
  const entries = await control.signIns.list();
  if (entries.length === 0)
    return { ok: true, data: { signIns: [] }, text: `No sign-ins. Run \`${prefix} auth <server>\` to sign in.` };
  const signIns = entries.map((entry) => ({
    ...entry,
    expiresAt: isoTime(entry.expiresAt) ?? null,
    signedInAt: isoTime(entry.signedInAt) ?? null,
  }));
  return { ok: true, data: { signIns }, text: entries.map((entry) => entryText(entry, now(), prefix)).join("\n\n") };
}

function entryText(entry: SignInEntry, now: number, prefix: string): string {
  const { server, kind, scope, issuer, subject, configured, expiresAt } = entry;
  const until = expiresAt === undefined ? "" : ` (${expiryText(expiresAt, now)})`;
  const states = {
    none: "Not signed in",
    expired: "Expired",
    "needs-sign-in": "Needs sign-in",
    "signed-in": `Signed in${until}`,
  };
  const fix = kind === "signed-in" ? "" : ` (run \`${prefix} auth ${server}\`)`;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Address", visibleText(entry.address, 300)],
    [
      "Status",
      configured
        ? `${states[kind]}${fix}`
        : `No longer configured (run \`${prefix} auth ${server} --logout\` to sign out)`,
    ],
    ["As", subject && visibleText(subject, 200)],
    ["At", issuer && visibleText(issuer, 300)],
    ["Scopes", scope && visibleText(scope, 500)],
  ];
  return [server, ...rows.flatMap(([title, value]) => (value ? [`  ${title.padEnd(10)}${value}`] : []))].join("\n");
}

async function signInByDevice(context: PresentationContext, ui: SignInUi, request: AuthRequest): Promise<Presented> {
  const { server, scope, issuer } = request;
  const { signIns } = context.control;
  const { userCode, verificationUri, verificationUriComplete, expiresAt } = await signIns.beginDevice({
    server,
    scope,
    issuer,
  });
  const code = visibleText(userCode, 100);
  const text = `On any device, open ${visibleText(verificationUri, 500)}\nand enter the code: ${code}`;
  const done = signIns.awaitDevice({ server, userCode });
  if (ui.goesOn) {
    goOn(context, ui.goesOn, server, done);
    const data = {
      server,
      signedIn: false,
      verificationUri,
      verificationUriComplete: verificationUriComplete ?? null,
      userCode: code,
      expiresAt: isoTime(expiresAt),
    };
    return { ok: true, data, text };
  }
  ui.show(text);
  await orAborted(done, ui.signal).catch(async (error: unknown) => {
    if (!ui.signal.aborted) throw error;
    await signIns.cancelDevice({ server, userCode }).catch(() => {});
    throw new Fault("cancelled", `The sign-in to ${server} was cancelled.`, { cause: error });
  });
  return signedIn(context, server);
}

/** The sign-in can still be finished with its code, and by the browser if this process lives on. */
async function leaveWaiting(
  context: PresentationContext,
  ui: SignInUi,
  server: string,
  started: StartedSignIn,
): Promise<Presented> {
  if (ui.goesOn) goOn(context, ui.goesOn, server, started.done);
  else await started.leave();
  const finish = `${context.prefix} auth ${server} --code '<the address the browser was sent to>'`;
  const data = { server, signedIn: false, url: started.url.href, finish };
  const then = ui.goesOn ? `If the browser can't return to this machine, run: ${finish}` : `Then run: ${finish}`;
  return {
    ok: true,
    data,
    text: ["Open this address in a browser and sign in:", "", started.url.href, "", then].join("\n"),
  };
}

function promptText({ prefix }: PresentationContext, server: string, url: URL, isOpened: boolean): string {
  if (isOpened)
    return [
      `Your browser opens so that you can sign in to ${server}. If it does not, open this address:`,
      "",
      url.href,
      "",
    ].join("\n");
  return [
    `Open this address in a browser to sign in to ${server}:`,
    "",
    url.href,
    "",
    "If the browser can't return to this machine, paste the address it was sent to here,",
    `or run \`${prefix} auth ${server} --code '<address>'\`.`,
  ].join("\n");
}

/** Until the browser has returned, or a valid code was pasted. */
async function orPasted(started: StartedSignIn, ui: SignInUi): Promise<void> {
  const end = new AbortController();
  const { done } = started;
  const paste = async (): Promise<void> => {
    for (;;) {
      const text = await ui.paste?.(end.signal);
      if (text === undefined || end.signal.aborted) return;
      if (text.trim() === "") continue;
      await started.paste(text).catch((error: unknown) => ui.show(toFault(error).message));
    }
  };
  void paste();
  await done.finally(() => end.abort());
}

/** A browser that does not start is no reason to give up; a user who declines is. */
function notOpened(error: unknown): false {
  if (isFault(error)) throw error;
  return false;
}

function goOn(
  context: PresentationContext,
  { report }: NonNullable<SignInUi["goesOn"]>,
  server: string,
  done: Promise<void>,
): void {
  done
    .then(() => signedIn(context, server))
    .then(
      ({ text }) => report(text),
      (error: unknown) => report(`Not signed in to ${server}: ${toFault(error).message}`),
    );
}

async function signedIn(context: PresentationContext, server: string): Promise<Presented> {
  const { control, now } = context;
  const { expiresAt, scope, issuer, subject } = await control.signIns.status({ server });
  const facts = {
    server,
    signedIn: true,
    expiresAt: isoTime(expiresAt) ?? null,
    scope: scope ?? null,
    issuer: issuer ?? null,
    subject: subject ?? null,
  };
  const as = subject === undefined ? "" : ` as ${visibleText(subject, 200)}`;
  const until = expiresAt === undefined ? "" : `, ${expiryText(expiresAt, now())}`;
  const scopes = scope ? `, scopes ${visibleText(scope, 500)}` : "";
  const head = `Signed in to ${server}${as}${until}${scopes}.`;
  try {
    const { tools } = await control.servers.connect({ name: server });
    return { ok: true, data: { ...facts, tools }, text: `${head} It has ${countText(tools, "tool")}.` };
  } catch (error) {
    const { code, message } = toFault(error);
    return {
      ok: false,
      data: { ...facts, error: { code, message } },
      text: `${head} Could not connect to it yet: ${message}`,
    };
  }
}
