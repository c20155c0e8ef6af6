import { validateAuthorizationResponseIssuer } from "@modelcontextprotocol/client";
import { Fault } from "../../../core/fault.ts";
import { quoted } from "../../../core/quoted.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { toOAuthFault } from "./oauth-fault.ts";

export interface ExpectedAnswer {
  readonly server: string;
  /** A person typed the code alone, so that nothing says where it comes from. */
  readonly isBare: boolean;
}

/** The code of a callback, once it is known to come from the authorization server that was asked (RFC 9207). */
export function checkAnswer(
  callback: URLSearchParams,
  { issuer, metadata }: AuthorizationServer,
  { server, isBare }: ExpectedAnswer,
): { readonly code: string; readonly iss: string | undefined } {
  const stated = callback.get("iss") ?? undefined;
  // Bare: what is not there can't be compared. PKCE still ties the code to this sign-in.
  const iss = isBare ? metadata?.issuer : stated;
  const isSupported = metadata?.authorization_response_iss_parameter_supported === true;
  try {
    validateAuthorizationResponseIssuer({ iss, expectedIssuer: metadata?.issuer, issParameterSupported: isSupported });
  } catch (error) {
    throw toOAuthFault(error, issuer);
  }
  const error = callback.get("error");
  if (error !== null) {
    const why = callback.get("error_description");
    const said = [error, ...(why === null ? [] : [why])].map((text) => quoted(text)).join(", ");
    throw new Fault("denied", `The sign-in to ${server} was refused: ${said}. Try again: clawport auth ${server}`);
  }
  const code = callback.get("code");
  if (code === null || code === "" || callback.getAll("code").length > 1)
    throw new Fault("bad-request", `The answer to the sign-in holds no code. Try again: clawport auth ${server}`);
  return { code, iss };
}
