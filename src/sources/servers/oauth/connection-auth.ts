import { Fault, isFault } from "../../../core/fault.ts";
import { quoted } from "../../../core/text/peer-text.ts";
import type { Authorizer } from "../../../mcp/client/authorizer.ts";
import type { ServerDefinition } from "../definition.ts";

/** What a connection needs to sign in. */
export interface ConnectionAuth extends Authorizer {
  /** The state as far as it is known here; undefined if the server never asked for a sign-in. */
  state(): AuthState | undefined;
}

export interface AuthState {
  readonly signedIn: boolean;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

export interface ConnectionAuths {
  /** Undefined for servers without a URL, and for those whose credentials are in the configuration. */
  of(definition: ServerDefinition): ConnectionAuth | undefined;
}

/** `detail` of a fault that only a sign-in by the user resolves, for programs. */
interface SignInDetail {
  /**
   * `wider`: signed in, but without the scope that this call needs. `refused`: this call was refused with a new token.
   * `key`: there is nothing to sign in to.
   */
  readonly signIn: "needed" | "wider" | "refused" | "key";
  /** The user had signed in before. */
  readonly isLost?: boolean;
  readonly scope?: string;
}

/** How long a sign-in waits for the user to finish it in the browser. */
export const signInLifetimeMs = 10 * 60_000;

export function signInNeeded(server: string, why: string): Fault {
  return new Fault("unauthorized", `${why} Run \`clawport auth ${server}\` to sign in.`, {
    detail: { signIn: "needed" } satisfies SignInDetail,
  });
}

/** The user had signed in, and only another sign-in helps. */
export function signInLost(server: string): Fault {
  const { code, message } = signInNeeded(server, `The sign-in to ${server} is no longer valid.`);
  return new Fault(code, message, { detail: { signIn: "needed", isLost: true } satisfies SignInDetail });
}

export function isSignInLost(error: unknown): boolean {
  return isFault(error, "unauthorized") && (error.detail as Partial<SignInDetail> | undefined)?.isLost === true;
}

/** The error of a call that needs a sign-in, with the address where one was begun. */
export function withSignInAddress(fault: Fault, url: URL): Fault {
  const how = `A sign-in waits at the address below: give it to the user, who opens it in a browser and signs in. Then try again.\n${url.href}`;
  return new Fault(fault.code, `${fault.message} ${how}`, { cause: fault, detail: fault.detail });
}

/** The server refuses requests without credentials, and has no OAuth. */
export function apiKeyNeeded(server: string): Fault {
  const message = `${server} requires a key: it has no OAuth to sign in with. Run \`clawport connect ${server} --api-key <key>\` to set it.`;
  return new Fault("unauthorized", message, { detail: { signIn: "key" } satisfies SignInDetail });
}

export function isApiKeyNeeded(error: unknown): boolean {
  return isFault(error, "unauthorized") && signInOf(error) === "key";
}

export function newTokenRefused(server: string): Fault {
  const message = `${server} refused a token that was just issued for it. Run \`clawport auth ${server}\` to sign in with another account.`;
  return new Fault("unauthorized", message, { detail: { signIn: "refused" } satisfies SignInDetail });
}

export function widerSignInNeeded(server: string, scope: string): Fault {
  const word = quotedForShell(scope);
  const how =
    word === undefined
      ? `Sign in again with \`clawport auth ${server} --scope <scope>\`, where the scope is ${quoted(scope, 500)}.`
      : `Run \`clawport auth ${server} --scope ${word}\` to sign in with them.`;
  return new Fault(
    "unauthorized",
    `${server} requires more permissions for this call than you signed in with. ${how}`,
    {
      detail: { signIn: "wider", scope } satisfies SignInDetail,
    },
  );
}

/** Whether no call works before a sign-in. A call that lacks a permission says nothing about the others. */
export function isSignInNeeded(error: unknown): boolean {
  if (!isFault(error, "unauthorized")) return false;
  return signInOf(error) !== "wider" && signInOf(error) !== "refused";
}

/** Whether a call was refused although its token was just issued, which says little about other calls. */
export function isNewTokenRefused(error: unknown): boolean {
  return isFault(error, "unauthorized") && signInOf(error) === "refused";
}

/** The scope that a call lacks, with those that the user signed in with; undefined if it failed for another reason. */
export function missingScopeOf(error: unknown): string | undefined {
  if (!isFault(error, "unauthorized") || signInOf(error) !== "wider") return undefined;
  return (error.detail as SignInDetail).scope;
}

function signInOf({ detail }: Fault): SignInDetail["signIn"] | undefined {
  return (detail as Partial<SignInDetail> | undefined)?.signIn;
}

/** Characters without a meaning to a shell if they are in double quotes. */
const shellSafe = /^[\w .:/@+=,~*-]+$/;

/**
 * A text from a server, safe to use in a command that the user copies. Undefined if a shell would interpret it: quotes do
 * not stop `$(…)`.
 */
export function quotedForShell(text: string): string | undefined {
  return shellSafe.test(text) ? `"${text}"` : undefined;
}
