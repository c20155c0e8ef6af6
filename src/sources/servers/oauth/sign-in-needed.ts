import { Fault } from "../../../core/fault.ts";
import { commandWord } from "./command-word.ts";

/** What a program finds in `detail` of a fault that only a person can mend. */
interface SignInDetail {
  /** `wider`: signed in, but not for this. */
  readonly signIn: "needed" | "wider";
  readonly scope?: string;
}

export function signInNeeded(server: string, why: string): Fault {
  return new Fault("unauthorized", `${why} Sign in: clawport auth ${server}`, {
    detail: { signIn: "needed" } satisfies SignInDetail,
  });
}

export function widerSignInNeeded(server: string, scope: string): Fault {
  const word = commandWord(scope);
  const how =
    word === undefined
      ? `Give them with clawport auth ${server} --scope; it wants ${JSON.stringify(scope.slice(0, 500))}`
      : `Give them: clawport auth ${server} --scope ${word}`;
  return new Fault("unauthorized", `${server} wants more rights for this than you have signed in for. ${how}`, {
    detail: { signIn: "wider", scope } satisfies SignInDetail,
  });
}

/** Whether nothing at all goes before somebody signs in; a call that lacks a right says nothing about the others. */
export function isSignInNeeded(error: unknown): boolean {
  if (!(error instanceof Fault) || error.code !== "unauthorized") return false;
  return (error.detail as Partial<SignInDetail> | undefined)?.signIn !== "wider";
}
