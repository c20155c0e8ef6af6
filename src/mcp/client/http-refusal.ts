import type { ClientRequest, IncomingMessage } from "node:http";
import { Fault, type FaultCode } from "../../core/fault.ts";
import { retryAfterMs } from "../../core/http/send-http.ts";
import { asRecord } from "../../core/is-record.ts";
import { quotedPeerText } from "../../core/text/peer-text.ts";
import { redactKnown } from "../../core/secrets/redact-known.ts";
import type { HttpRefusal } from "./client-transport.ts";

/** What the client had agreed on with the server before it refused a request. A restarted server has forgotten that. */
export type PriorAgreement = "none" | "session" | "modern";

/** The fault for an HTTP response that is not an answer. It keeps the status. */
export function refusalOf(response: IncomingMessage, text: string, prior: PriorAgreement): Fault {
  const { statusCode = 0, headers } = response;
  const detail: HttpRefusal = {
    status: statusCode,
    retryAfterMs: retryAfterMs(headers["retry-after"], Date.now()),
  };
  const words = withoutSecrets(wordsOf(text).trim(), response);
  const said = words === "" ? "" : `: ${quotedPeerText(words)}`;
  const code = isForgotten(statusCode, text, prior) ? "unknown-session" : codeOf(statusCode);
  return new Fault(code, `The server answered with HTTP ${statusCode}${said}`, { detail });
}

/** Request headers that hold no credentials. */
const nonSecretHeaders: ReadonlySet<string> = new Set([
  "accept",
  "connection",
  "content-length",
  "content-type",
  "host",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "traceparent",
  "tracestate",
  "transfer-encoding",
  "user-agent",
]);

function withoutSecrets(text: string, response: IncomingMessage): string {
  const { req: request } = response as { readonly req?: ClientRequest };
  const sent = Object.entries(request?.getHeaders() ?? {}).filter(([name]) => !nonSecretHeaders.has(name));
  const secrets = sent.map(([, value]) => String(value).replace(/^(?:Basic|Bearer|DPoP) +/i, ""));
  return redactKnown(text, secrets);
}

/** The readable part of a body. Many bodies are JSON with one sentence in it. */
function wordsOf(text: string): string {
  try {
    const { error, error_description, detail, message } = asRecord(JSON.parse(text));
    const found = [asRecord(error).message, error_description, detail, message, error].find(
      (each) => typeof each === "string" && each !== "",
    );
    return typeof found === "string" ? found : text;
  } catch {
    return text;
  }
}

/** Whether the server no longer knows the agreement. Then it has not processed the request. */
function isForgotten(status: number, text: string, prior: PriorAgreement): boolean {
  if (prior === "modern") return status === 400 || status === 404;
  // -32022 comes from a server without sessions, which has replaced the old one.
  return prior === "session" && (status === 404 || (status === 400 && text.includes("-32022")));
}

function codeOf(status: number): FaultCode {
  if (status === 401) return "unauthorized";
  if (status === 403) return "denied";
  // A server that failed while it worked may have done part of it.
  return status >= 500 && status !== 503 ? "outcome-unknown" : "unavailable";
}
