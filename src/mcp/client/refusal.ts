import { Fault, type FaultCode } from "../../core/fault.ts";
import type { HttpRefusal } from "./client-transport.ts";

/** A response that is no answer, as a fault that keeps its status. */
export function refusalOf(
  status: number,
  text: string,
  wwwAuthenticate: string | undefined,
  hasSession: boolean,
): Fault {
  const detail: HttpRefusal = { status, body: text.slice(0, 2000), wwwAuthenticate };
  const said = text.trim() === "" ? "" : `: ${JSON.stringify(text.trim().slice(0, 200))}`;
  return new Fault(codeOf(status, hasSession), `The server answered with HTTP ${status}${said}`, { detail });
}

function codeOf(status: number, hasSession: boolean): FaultCode {
  if (status === 404 && hasSession) return "unknown-session";
  if (status === 401) return "unauthorized";
  if (status === 403) return "denied";
  // Once a server has begun to work and failed, nobody knows how far it came.
  return status >= 500 && status !== 503 ? "outcome-unknown" : "unavailable";
}
