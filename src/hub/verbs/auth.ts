import { Fault, isFault, toFault } from "../../core/fault.ts";
import { visibleText } from "../../core/peer-text.ts";
import { orAborted } from "../../core/wait.ts";
import { isoTime } from "../../sources/servers/server-status.ts";
import type { SignInEntry, SignInRequest } from "../control/sign-ins.ts";
import { parsePastedCallback } from "../sign-in/callback-query.ts";
import { type StartedSignIn, startSignIn } from "../sign-in/start-sign-in.ts";
import { expiryText } from "./server-text.ts";
import type { VerbContext, VerbResult } from "./verb.ts";

/** The person who signs in, as far as they can be reached from here. */
export interface SignInUi {
  /** Opens an address in their browser; says whether that could be done. */
  openBrowser?(url: URL): Promise<boolean>;
  /** Shows them what to do, while it is waited for. */
  show(text: string): void;
  /** What they paste instead of the browser coming back; missing where nobody can. Never settles after the signal. */
  paste?(signal: AbortSignal): Promise<string | undefined>;
  /** Where nobody waits for the end, the sign-in goes on behind, for as long as this process lives. */
  readonly goesOn: boolean;
  readonly signal: AbortSignal;
}

export interface AuthRequest extends SignInRequest {
  readonly server: string;
  /** The code, or the whole address that the browser was sent to. */
  readonly code?: string | undefined;
  /** On another device; as the configuration says unless given. */
  readonly device?: boolean | undefined;
}

/** `auth <server>`: signs in, in a browser, with a pasted code or on another device, and connects the server. */
export async function runAuth(context: VerbContext, stage: SignInUi, wish: AuthRequest): Promise<VerbResult> {
  const { signIns } = context.control;
  const { server, code, device, scope, issuer } = wish;
  if (code !== undefined) {
    await signIns.finish(server, parsePastedCallback(code).toString(), true);
    return signedIn(context, server);
  }
  if (device ?? (await signIns.wayOf(server)).device) return signInByDevice(context, stage, wish);
  const started = await startSignIn(signIns, server, { scope, issuer, signal: stage.signal }).catch(
    (error: unknown) => {
      if (!isFault(error, "unavailable")) throw error;
      throw new Fault("unavailable", `${error.message} How it stands: ${context.prefix} status ${server}`, {
        cause: error,
      });
    },
  );
  if (started.kind === "signed-in") return signedIn(context, server);
  const isOpened = (await stage.openBrowser?.(started.url).catch(() => false)) ?? false;
  if (!isOpened && stage.paste === undefined) return leaveWaiting(context, stage, server, started);
  stage.show(promptText(context, server, started.url, isOpened));
  await orPasted(started, stage);
  return signedIn(context, server);
}

/** `auth <server> --logout`. */
export async function runLogout({ control, prefix }: VerbContext, server: string): Promise<VerbResult> {
  const { wasSignedIn, revoked } = await control.signIns.logout(server);
  if (!wasSignedIn) return { ok: true, data: { server, revoked }, text: `Nobody was signed in to ${server}.` };
  const how = revoked ? "its tokens were revoked" : "its tokens are forgotten here, but could not be revoked there";
  // A connection that lived on these tokens finds out at once.
  await control.servers.refresh(server).catch(() => {});
  return {
    ok: true,
    data: { server, revoked },
    text: `Signed out of ${server}: ${how}. Back in: ${prefix} auth ${server}`,
  };
}

/** `auth --list`. */
export async function runAuthList({ control, prefix, now }: VerbContext): Promise<VerbResult> {
  const entries = await control.signIns.list();
  if (entries.length === 0)
    return { ok: true, data: { signIns: [] }, text: `Signed in to nothing. Sign in with: ${prefix} auth <server>` };
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
  const fix = kind === "signed-in" ? "" : `: ${prefix} auth ${server}`;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Address", visibleText(entry.address, 300)],
    ["Status", configured ? `${states[kind]}${fix}` : `No longer configured: ${prefix} auth ${server} --logout`],
    ["As", subject && visibleText(subject, 200)],
    ["At", issuer && visibleText(issuer, 300)],
    ["Scopes", scope && visibleText(scope, 500)],
  ];
  return [server, ...rows.flatMap(([title, value]) => (value ? [`  ${title.padEnd(10)}${value}`] : []))].join("\n");
}

async function signInByDevice(context: VerbContext, stage: SignInUi, wish: AuthRequest): Promise<VerbResult> {
  const { server, scope, issuer } = wish;
  const { signIns } = context.control;
  const { userCode, verificationUri, verificationUriComplete, expiresAt } = await signIns.beginDevice(server, {
    scope,
    issuer,
  });
  const code = visibleText(userCode, 100);
  const text = `On any device, open ${visibleText(verificationUri, 500)}\nand enter the code: ${code}`;
  const done = signIns.awaitDevice(server, userCode);
  if (stage.goesOn) {
    goOn(context, server, done);
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
  stage.show(text);
  await orAborted(done, stage.signal).catch(async (error: unknown) => {
    if (!stage.signal.aborted) throw error;
    await signIns.cancelDevice(server, userCode).catch(() => {});
    throw new Fault("cancelled", `The sign-in to ${server} was given up.`, { cause: error });
  });
  return signedIn(context, server);
}

/** Nobody is here to wait. What began stays open for its code, and for the browser too if this process lives on. */
async function leaveWaiting(
  context: VerbContext,
  stage: SignInUi,
  server: string,
  started: StartedSignIn,
): Promise<VerbResult> {
  if (stage.goesOn) goOn(context, server, started.done);
  else await started.leave();
  const finish = `${context.prefix} auth ${server} --code '<the address the browser ends at>'`;
  const data = { server, signedIn: false, url: started.url.href, finish };
  const text = [`Open this address in a browser and agree there:`, "", started.url.href, "", `Then: ${finish}`].join(
    "\n",
  );
  return { ok: true, data, text };
}

function promptText({ prefix }: VerbContext, server: string, url: URL, isOpened: boolean): string {
  if (isOpened)
    return [`Your browser opens to sign in to ${server}. If it does not, open this address:`, "", url.href, ""].join(
      "\n",
    );
  return [
    `Open this address in a browser to sign in to ${server}:`,
    "",
    url.href,
    "",
    "If the browser can't come back to this machine, paste the address it ends at here,",
    `or run: ${prefix} auth ${server} --code '<address>'`,
  ].join("\n");
}

/** Until the browser came back or something good was pasted. */
async function orPasted(started: StartedSignIn, stage: SignInUi): Promise<void> {
  const end = new AbortController();
  const { done } = started;
  const paste = async (): Promise<void> => {
    for (;;) {
      const text = await stage.paste?.(end.signal);
      if (text === undefined || end.signal.aborted) return;
      if (text.trim() === "") continue;
      await started.paste(text).catch((error: unknown) => stage.show(toFault(error).message));
    }
  };
  void paste();
  await done.finally(() => end.abort());
}

function goOn(context: VerbContext, server: string, done: Promise<void>): void {
  done.then(() => context.control.servers.connect(server)).catch(() => {});
}

async function signedIn(context: VerbContext, server: string): Promise<VerbResult> {
  const { control, now } = context;
  const { expiresAt, scope, issuer, subject } = await control.signIns.status(server);
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
    const { tools } = await control.servers.connect(server);
    return { ok: true, data: { ...facts, tools }, text: `${head} It has ${tools} ${tools === 1 ? "tool" : "tools"}.` };
  } catch (error) {
    const { code, message } = toFault(error);
    return {
      ok: false,
      data: { ...facts, error: { code, message } },
      text: `${head} It can't be connected yet: ${message}`,
    };
  }
}
