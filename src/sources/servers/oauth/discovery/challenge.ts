import { sendHttp } from "../../../../core/http/send-http.ts";
import type { Env } from "../../../../core/process/child-env.ts";
import { createHttpAgent } from "../../connection/http-agent.ts";
import type { HttpTarget } from "../../definition.ts";

/** One authentication scheme that a server offers (RFC 9110 § 11.6.1). */
interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** By lower-case name. */
  readonly params: Readonly<Record<string, string>>;
}

/** What a server requires of a client that signs in with OAuth. */
export interface OAuthChallenge {
  readonly scheme: "bearer" | "dpop";
  readonly resourceMetadata?: string | undefined;
  readonly scope?: string | undefined;
  readonly error?: string | undefined;
}

const maxHeaderLength = 16_384;

/** The OAuth challenge among all challenges of a server; Bearer if there is a choice. */
export function readOAuthChallenge(header: string | readonly string[] | undefined): OAuthChallenge | undefined {
  const all = parseChallenges(header).filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const chosen =
    all.find(({ params }) => params.error === "use_dpop_nonce") ??
    all.find(({ scheme }) => scheme === "bearer") ??
    all[0];
  if (!chosen) return undefined;
  // A server that offers both schemes may give each parameter only once.
  const params = Object.assign({}, ...all.map(({ params }) => params), chosen.params) as Record<string, string>;
  const { resource_metadata: resourceMetadata, scope, error } = params;
  return { scheme: chosen.scheme as OAuthChallenge["scheme"], resourceMetadata, scope, error };
}

/** Reads several schemes in one header, and several headers, as one list. Ignores what is not a challenge. */
export function parseChallenges(header: string | readonly string[] | undefined): readonly Challenge[] {
  const text = (typeof header === "string" ? header : (header ?? []).join(", ")).slice(0, maxHeaderLength);
  const challenges: { scheme: string; params: Record<string, string> }[] = [];
  // A scheme is a word without "=" after it; a parameter is a word, "=", and a word or a quoted text. An unclosed quote ends
  // with the header: nothing is read twice, so no header can make this slow.
  const part = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.?)*)(?:"|$)|([^\s,"]*)))?|"(?:[^"\\]|\\.?)*(?:"|$)/gs;
  for (const [, word, quoted, plain] of text.matchAll(part)) {
    if (word === undefined) continue;
    const value = quoted?.replaceAll(/\\(.)/g, "$1") ?? plain;
    if (value === undefined) challenges.push({ scheme: word.toLowerCase(), params: {} });
    else {
      const { params } = challenges.at(-1) ?? {};
      if (params && !Object.hasOwn(params, word.toLowerCase())) params[word.toLowerCase()] = value;
    }
  }
  return challenges;
}

const probeTimeoutMs = 10_000;

/** The challenge of a server to a client without credentials. Most servers refuse every request; some only a few. */
export async function probeServer(
  { url, headers, tls }: HttpTarget,
  env: Env,
  signal: AbortSignal | undefined,
): Promise<OAuthChallenge | undefined> {
  const agent = createHttpAgent(url, tls, env);
  const timeout = AbortSignal.timeout(probeTimeoutMs);
  try {
    const response = await sendHttp({
      url,
      method: "POST",
      headers: { ...headers, accept: "application/json, text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
      agent,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    response.destroy();
    return response.statusCode === 401 ? readOAuthChallenge(response.headers["www-authenticate"]) : undefined;
  } catch (error) {
    if (signal?.aborted) throw error;
    // Its metadata may still be available.
    return undefined;
  } finally {
    agent.destroy();
  }
}
