import {
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
} from "@modelcontextprotocol/client";
import { Fault } from "../../../core/fault.ts";
import { quoted } from "../../../core/text/peer-text.ts";

const maxTextLength = 2000;
const transientCodes: ReadonlySet<string> = new Set([
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
]);
/** Never withheld as part of a secret: polling for a device code depends on them (RFC 8628 § 3.5). */
const knownCodes: ReadonlySet<string> = new Set([
  ...Object.values(OAuthErrorCode),
  "authorization_pending",
  "slow_down",
  "expired_token",
]);

/** The scopes come from the server's metadata, which names some that its authorization server does not know. */
export const scopeHint = "Set `auth.scopes` of the server to scopes that the authorization server accepts.";

/**
 * What went wrong with an authorization server, for the user. Of its answer only `error` and `error_description` get into
 * the message, since the rest may hold a token, and only if they repeat none of the secrets that were sent.
 * `unauthorized` means that it refused for good, `unavailable` that it may work later.
 */
export function toOAuthFault(error: unknown, issuer: string, secrets: readonly string[] = []): Fault {
  if (error instanceof Fault) return error;
  const who = `The authorization server ${quoted(issuer)}`;
  if (error instanceof OAuthError) {
    if (transientCodes.has(error.code))
      return new Fault("unavailable", `${who} could not issue a token. Try again later.`);
    const code = knownCodes.has(error.code) ? error.code : withholdEchoedSecrets(error.code, secrets).slice(0, 100);
    const hint = code === "invalid_scope" ? ` ${scopeHint}` : "";
    return new Fault("unauthorized", `${who} refused: ${describeRefusal(code, error, secrets)}.${hint}`, {
      detail: { error: code },
    });
  }
  if (error instanceof IssuerMismatchError) {
    return new Fault(
      "denied",
      `The sign-in was answered by another authorization server than the one it started with. Refused: this may be an attack.`,
    );
  }
  if (error instanceof InsecureTokenEndpointError) {
    return new Fault("denied", `${who} uses plain http for secrets. Refused.`);
  }
  if (error instanceof TypeError) return new Fault("unavailable", `${who} can't be reached.`, { cause: error });
  // A schema error would repeat the value it is about.
  return new Fault("unavailable", `${who} sent an invalid answer.`);
}

function describeRefusal(code: string, { code: given, message }: OAuthError, secrets: readonly string[]): string {
  const why = message === given ? "" : withholdEchoedSecrets(message, secrets).slice(0, 200);
  return [code, why].flatMap((text) => (text === "" ? [] : JSON.stringify(text))).join(", ");
}

/** The part of an authorization server's text that may be shown. */
export function withholdEchoedSecrets(text: string, secrets: readonly string[]): string {
  const head = text.slice(0, maxTextLength);
  return repeatsSecret(head, secrets) ? "(withheld: it repeats a secret)" : head;
}

/** Parameters that are no secrets. */
const publicParameters: ReadonlySet<string> = new Set([
  "audience",
  "client_assertion_type",
  "client_id",
  "code_challenge",
  "code_challenge_method",
  "grant_type",
  "prompt",
  "redirect_uri",
  "requested_token_type",
  "resource",
  "response_type",
  "scope",
  "subject_token_type",
  "token_type_hint",
]);

/** As many characters of a secret count as revealing it. */
const revealingLength = 8;

/** The secrets in a request to an authorization server: codes, tokens, proofs, client secrets. */
export function secretsInRequest({ headers, body }: RequestInit): readonly string[] {
  const form = new URLSearchParams(body instanceof URLSearchParams || typeof body === "string" ? body : "");
  const sent = new Headers(headers);
  const values = [...form].flatMap(([name, value]) => (publicParameters.has(name) ? [] : [value]));
  const shown = ["authorization", "dpop"].flatMap((name) => sent.get(name)?.split(" ").at(-1) ?? []);
  return [...values, ...shown].filter((value) => value !== "");
}

/** Whether an answer repeats a secret, even in part: some servers do so to say what was wrong. */
function repeatsSecret(text: string, secrets: readonly string[]): boolean {
  const parts = Array.from({ length: Math.max(0, text.length - revealingLength + 1) }, (_, at) =>
    text.slice(at, at + revealingLength),
  );
  return secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .some((secret) => text.includes(secret) || parts.some((part) => secret.includes(part)));
}
