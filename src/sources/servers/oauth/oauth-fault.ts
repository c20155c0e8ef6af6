import {
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  RegistrationRejectedError,
} from "@modelcontextprotocol/client";
import { Fault } from "../../../core/fault.ts";

const transient: ReadonlySet<string> = new Set([OAuthErrorCode.ServerError, OAuthErrorCode.TemporarilyUnavailable]);

/**
 * What went wrong with an authorization server, for a person. Nothing of its raw answer gets into the message: that may
 * hold a token. `unauthorized` means that it refused for good, `unavailable` that it may work another time.
 */
export function toOAuthFault(error: unknown, issuer: string): Fault {
  if (error instanceof Fault) return error;
  const who = `The authorization server ${JSON.stringify(issuer.slice(0, 200))}`;
  if (error instanceof OAuthError) {
    if (transient.has(error.code)) return new Fault("unavailable", `${who} could not give a token. Try again later.`);
    const detail = { error: error.code.slice(0, 100) };
    return new Fault("unauthorized", `${who} refused: ${said(error)}.`, { detail });
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

function said({ code, message }: OAuthError): string {
  const name = JSON.stringify(code.slice(0, 100));
  return message === "" || message === code ? name : `${name}, ${JSON.stringify(message.slice(0, 200))}`;
}
