import { Fault, isFault } from "../../../core/fault.ts";
import { quoted } from "../../../core/peer-text.ts";
import type { Authorizer } from "../../../mcp/client/authorizer.ts";
import type { ServerDefinition } from "../definition.ts";

/** What a connection needs of signing in. */
export interface ConnectionAuth extends Authorizer {
  /** Where it stands, without asking anybody; nothing where the server never asked for it. */
  state(): AuthState | undefined;
}

export interface AuthState {
  readonly signedIn: boolean;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

export interface ConnectionAuths {
  /** Nothing for servers that have their key in the configuration, and for those without an address. */
  of(definition: ServerDefinition): ConnectionAuth | undefined;
}

/** What a program finds in `detail` of a fault that only a person can mend. */
interface SignInDetail {
  /** `wider`: signed in, but not for this. `refused`: not let in here, with a token that others may well take. */
  readonly signIn: "needed" | "wider" | "refused";
  readonly scope?: string;
}

export function signInNeeded(server: string, why: string): Fault {
  return new Fault("unauthorized", `${why} Sign in: clawport auth ${server}`, {
    detail: { signIn: "needed" } satisfies SignInDetail,
  });
}

export function newTokenRefused(server: string): Fault {
  const message = `${server} refuses a token that was just issued for it. Sign in as somebody else: clawport auth ${server}`;
  return new Fault("unauthorized", message, { detail: { signIn: "refused" } satisfies SignInDetail });
}

export function widerSignInNeeded(server: string, scope: string): Fault {
  const word = quotedForShell(scope);
  const how =
    word === undefined
      ? `Give them with clawport auth ${server} --scope; it wants ${quoted(scope, 500)}`
      : `Give them: clawport auth ${server} --scope ${word}`;
  return new Fault("unauthorized", `${server} wants more rights for this than you have signed in for. ${how}`, {
    detail: { signIn: "wider", scope } satisfies SignInDetail,
  });
}

/** Whether nothing at all goes before somebody signs in; a call that lacks a right says nothing about the others. */
export function isSignInNeeded(error: unknown): boolean {
  if (!isFault(error, "unauthorized")) return false;
  return signInOf(error) !== "wider" && signInOf(error) !== "refused";
}

/** Whether one call was not let in with a token that was just issued, which says little about the others. */
export function isNewTokenRefused(error: unknown): boolean {
  return isFault(error, "unauthorized") && signInOf(error) === "refused";
}

function signInOf({ detail }: Fault): SignInDetail["signIn"] | undefined {
  return (detail as Partial<SignInDetail> | undefined)?.signIn;
}

/** In quotes, a shell takes these for what they are. */
const shellSafe = /^[\w .:/@+=,~*-]+$/;

/**
 * A text that came from a server, as it may stand in a command for a person to copy. Nothing where a shell would do
 * something with it: quotes do not stop `$(…)`.
 */
export function quotedForShell(text: string): string | undefined {
  return shellSafe.test(text) ? `"${text}"` : undefined;
}
