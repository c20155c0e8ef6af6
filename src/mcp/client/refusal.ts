import type { IncomingMessage } from "node:http";
import { Fault, type FaultCode } from "../../core/fault.ts";
import { asRecord } from "../../core/is-record.ts";
import { quoted } from "../../core/quoted.ts";
import type { HttpRefusal } from "./client-transport.ts";
import { retryAfterMs } from "./retry-after.ts";

/** What was agreed on with the server before it refused: it may have forgotten that, or be another one by now. */
export type Standing = "none" | "session" | "modern";

/** A response that is no answer, as a fault that keeps its status. */
export function refusalOf({ statusCode = 0, headers }: IncomingMessage, text: string, standing: Standing): Fault {
  const detail: HttpRefusal = {
    status: statusCode,
    body: text.slice(0, 2000),
    wwwAuthenticate: headers["www-authenticate"],
    retryAfterMs: retryAfterMs(headers["retry-after"], Date.now()),
  };
  const words = wordsOf(text).trim();
  const said = words === "" ? "" : `: ${quoted(words)}`;
  const code = isForgotten(statusCode, text, standing) ? "unknown-session" : codeOf(statusCode);
  return new Fault(code, `The server answered with HTTP ${statusCode}${said}`, { detail });
}

/** What a person can read of a body: many are JSON with one sentence in it. */
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

/** Whether the server knows nothing of what was agreed on. It has not looked at the request then. */
function isForgotten(status: number, text: string, standing: Standing): boolean {
  if (standing === "modern") return status === 400 || status === 404;
  // -32022: a server without sessions stands there now.
  return standing === "session" && (status === 404 || (status === 400 && text.includes("-32022")));
}

function codeOf(status: number): FaultCode {
  if (status === 401) return "unauthorized";
  if (status === 403) return "denied";
  // Once a server has begun to work and failed, nobody knows how far it came.
  return status >= 500 && status !== 503 ? "outcome-unknown" : "unavailable";
}
