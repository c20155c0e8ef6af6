import { RegistrationRejectedError } from "@modelcontextprotocol/client";
import { Fault } from "../../../../core/fault.ts";
import { isRecord } from "../../../../core/is-record.ts";
import { quoted } from "../../../../core/text/peer-text.ts";
import type { AuthContext } from "../auth-context.ts";
import type { AuthorizationServer } from "../discovery/authorization-server.ts";
import { toOAuthFault, withholdEchoedSecrets } from "../oauth-fault.ts";

/** Why Clawport could not be registered at an authorization server, and what the user can do about it. */
export function registrationFault(
  error: unknown,
  context: Pick<AuthContext, "server" | "settings">,
  { issuer, metadata }: AuthorizationServer,
): Fault {
  const byHand = `Register Clawport there by hand and set \`auth.clientId\` of the server ${context.server}.`;
  if (error instanceof RegistrationRejectedError) {
    const said = refusalOf(error.body, context.settings.initialAccessToken);
    const shown = said.length === 0 ? "" : `: ${said.map((text) => quoted(text)).join(", ")}`;
    const cure = cureFor(error, said, context, metadata?.scopes_supported) ?? byHand;
    return new Fault(
      "denied",
      `The authorization server ${quoted(issuer)} refused to register Clawport (HTTP ${error.status}${shown}). ${cure}`,
    );
  }
  const problem = invalidPart(error);
  if (problem === undefined) return toOAuthFault(error, issuer);
  return new Fault(
    "denied",
    `The authorization server ${quoted(issuer)} answered the registration of Clawport with invalid data: ${problem}. ${byHand}`,
  );
}

function cureFor(
  { status, submittedMetadata }: RegistrationRejectedError,
  said: readonly string[],
  { server, settings }: Pick<AuthContext, "server" | "settings">,
  supported: readonly string[] | undefined,
): string | undefined {
  const { scope } = submittedMetadata;
  if (scope !== undefined && said.some((text) => /\bscopes?\b|invalid_scope/i.test(text))) {
    const unknown = scope.split(" ").filter((each) => supported?.includes(each) === false);
    const which = unknown.length === 0 ? scope : unknown.join(" ");
    return `It does not accept the scopes ${quoted(which)}. Set \`auth.scopes\` of the server ${server} to scopes that it accepts.`;
  }
  if (status !== 401 && status !== 403) return undefined;
  return settings.initialAccessToken === undefined
    ? `If it gave you an initial access token, set \`auth.initialAccessToken\` of the server ${server}. Otherwise register Clawport there by hand and set \`auth.clientId\`.`
    : `Check \`auth.initialAccessToken\` of the server ${server}: it may have expired or been used up.`;
}

/** `error` and `error_description` of RFC 7591 § 3.2.2, as far as they are safe to show. */
function refusalOf(body: string, initialAccessToken: string | undefined): readonly string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return [];
  }
  if (!isRecord(parsed)) return [];
  const secrets = initialAccessToken === undefined ? [] : [initialAccessToken];
  return [parsed.error, parsed.error_description]
    .filter((text) => typeof text === "string" && text !== "")
    .map((text) => withholdEchoedSecrets(String(text), secrets));
}

const maxFields = 5;

/** Names the fields that a schema found wrong, never their values: a client secret is among them. */
function invalidPart(error: unknown): string | undefined {
  if (error instanceof SyntaxError) return "it is not JSON";
  if (!(error instanceof Error) || !("issues" in error) || !Array.isArray(error.issues)) return undefined;
  const paths = error.issues.flatMap((issue: unknown) =>
    isRecord(issue) && Array.isArray(issue.path) ? [issue.path] : [],
  );
  const fields = [...new Set(paths.map((path) => String(path[0] ?? "")))].slice(0, maxFields);
  if (fields.length === 0 || fields.includes("")) return "it is not a JSON object";
  return `${fields.map((field) => `\`${field}\``).join(", ")} ${fields.length === 1 ? "is" : "are"} missing or invalid`;
}
