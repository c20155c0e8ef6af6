import { sendHttp } from "../../../mcp/client/send-http.ts";
import type { HttpTarget } from "../definition.ts";
import { createHttpAgent } from "../http-agent.ts";
import { type OAuthChallenge, readOAuthChallenge } from "./challenge.ts";

const patienceMs = 10_000;

/** What a server says to somebody it does not know. Most refuse everything; some only what is of worth. */
export async function probeServer(
  { url, headers, tls }: HttpTarget,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal | undefined,
): Promise<OAuthChallenge | undefined> {
  const agent = createHttpAgent(url, tls, env);
  const late = AbortSignal.timeout(patienceMs);
  try {
    const response = await sendHttp({
      url,
      method: "POST",
      headers: { ...headers, accept: "application/json, text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
      agent,
      signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    response.destroy();
    return response.statusCode === 401 ? readOAuthChallenge(response.headers["www-authenticate"]) : undefined;
  } catch (error) {
    if (signal?.aborted) throw error;
    // Its documents may be there all the same.
    return undefined;
  } finally {
    agent.destroy();
  }
}
