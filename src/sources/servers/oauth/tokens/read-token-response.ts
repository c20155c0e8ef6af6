import { Fault } from "../../../../core/fault.ts";
import { isRecord } from "../../../../core/is-record.ts";
import { quoted } from "../../../../core/text/peer-text.ts";

/**
 * A token endpoint's answer as the standard has it, from the answers that providers really send: members that are null,
 * form-encoded bodies, errors with status 200. Overload and breakdowns (429, 5xx) throw `unavailable` whatever their body
 * says: the errors of RFC 6749 § 5.2 come with 400 or 401, and only those may end a sign-in.
 */
export async function readTokenResponse(response: Response, issuer: string): Promise<Response> {
  const { status, headers } = response;
  if (status === 429 || status >= 500) {
    await response.body?.cancel().catch(() => {});
    throw new Fault(
      "unavailable",
      `The authorization server ${quoted(issuer)} answered with HTTP ${status}. Try again later.`,
    );
  }
  const text = await response.text();
  const fields = parseFields(text);
  if (fields === undefined) {
    if (response.ok)
      throw new Fault(
        "unavailable",
        `The authorization server ${quoted(issuer)} answered with ${describeBody(text)} instead of a token.`,
      );
    return new Response(text, { status, headers });
  }
  const isError = typeof fields.error === "string" && fields.access_token === undefined;
  return new Response(JSON.stringify(fields), {
    status: isError && response.ok ? 400 : status,
    headers: withoutLength(headers),
  });
}

function parseFields(text: string): Record<string, unknown> | undefined {
  const parsed = parseJson(text) ?? parseForm(text);
  return parsed && withoutNulls(parsed);
}

function parseJson(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `access_token=…&token_type=bearer`, whatever content type it comes with. */
function parseForm(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^[\w%.+-]+=/.test(text)) return undefined;
  const form = Object.fromEntries(new URLSearchParams(text.trim()));
  if (form["access_token"] === undefined && form["error"] === undefined) return undefined;
  const { expires_in: life, ...rest } = form;
  return life === undefined ? rest : { ...rest, expires_in: Number(life) };
}

/** A member that is null is one that was left out. */
export function withoutNulls(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

function describeBody(text: string): string {
  if (text.trim() === "") return "an empty body";
  return /^\s*<(?:!doctype|html|\?xml)/i.test(text) ? "a web page" : "something that is not JSON";
}

function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ["content-length", "content-encoding", "content-type"]) kept.delete(name);
  kept.set("content-type", "application/json");
  return kept;
}
