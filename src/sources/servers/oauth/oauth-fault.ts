import {
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  RegistrationRejectedError,
} from "@modelcontextprotocol/client";
import { Fault } from "../../../core/fault.ts";
import { quoted } from "../../../core/quoted.ts";
import { isEcho } from "./echo.ts";

const longestText = 2000;
const transient: ReadonlySet<string> = new Set([OAuthErrorCode.ServerError, OAuthErrorCode.TemporarilyUnavailable]);
/** Never taken for a part of a secret: whoever waits for another device lives on them (RFC 8628 § 3.5). */
const known: ReadonlySet<string> = new Set([
  ...Object.values(OAuthErrorCode),
  "authorization_pending",
  "slow_down",
  "expired_token",
]);

/**
 * What went wrong with an authorization server, for a person. Of its answer only `error` and `error_description` get into
 * the message, since the rest may hold a token; and they only where they repeat none of the secrets that it was sent.
 * `unauthorized` means that it refused for good, `unavailable` that it may work another time.
 */
export function toOAuthFault(error: unknown, issuer: string, secrets: readonly string[] = []): Fault {
  if (error instanceof Fault) return error;
  const who = `The authorization server ${quoted(issuer)}`;
  if (error instanceof OAuthError) {
    if (transient.has(error.code)) return new Fault("unavailable", `${who} could not give a token. Try again later.`);
    const code = known.has(error.code) ? error.code : sayable(error.code, secrets).slice(0, 100);
    return new Fault("unauthorized", `${who} refused: ${said(code, error, secrets)}.`, { detail: { error: code } });
  }
  if (error instanceof RegistrationRejectedError) {
    return new Fault(
      "denied",
      `${who} refused to register Clawport (HTTP ${error.status}). Register it there by hand and put its id into auth.clientId.`,
    );
  }
  if (error instanceof IssuerMismatchError) {
    return new Fault(
      "denied",
      `The answer to the sign-in comes from another authorization server than it began with. Refused: somebody may be in between.`,
    );
  }
  if (error instanceof InsecureTokenEndpointError) {
    return new Fault("denied", `${who} wants secrets over plain http. Refused.`);
  }
  if (error instanceof TypeError) return new Fault("unavailable", `${who} can't be reached.`, { cause: error });
  // A schema's complaint would repeat what it complains about.
  return new Fault("unavailable", `${who} answered with something that is no answer to this.`);
}

function said(code: string, { code: given, message }: OAuthError, secrets: readonly string[]): string {
  const why = message === given ? "" : sayable(message, secrets).slice(0, 200);
  return [code, why].flatMap((text) => (text === "" ? [] : JSON.stringify(text))).join(", ");
}

/** What may be told of a text that came from there. */
export function sayable(text: string, secrets: readonly string[]): string {
  const head = text.slice(0, longestText);
  return isEcho(head, secrets) ? "(it repeats what it was sent)" : head;
}
