import type { IncomingMessage } from "node:http";
import { Fault, type FaultCode } from "../../core/fault.ts";
import type { HttpRefusal } from "./client-transport.ts";
import { retryAfterMs } from "./retry-after.ts";

/** A response that is no answer, as a fault that keeps its status. */
export function refusalOf({ statusCode = 0, headers }: IncomingMessage, text: string, hasSession: boolean): Fault {
  const detail: HttpRefusal = {
    status: statusCode,
    body: text.slice(0, 2000),
    wwwAuthenticate: headers["www-authenticate"],
    retryAfterMs: retryAfterMs(headers["retry-after"], Date.now()),
  };
  const said = text.trim() === "" ? "" : `: ${JSON.stringify(text.trim().slice(0, 200))}`;
  return new Fault(codeOf(statusCode, hasSession), `The server answered with HTTP ${statusCode}${said}`, { detail });
}

function codeOf(status: number, hasSession: boolean): FaultCode {
  if (status === 404 && hasSession) return "unknown-session";
  if (status === 401) return "unauthorized";
  if (status === 403) return "denied";
  // Once a server has begun to work and failed, nobody knows how far it came.
  return status >= 500 && status !== 503 ? "outcome-unknown" : "unavailable";
}
