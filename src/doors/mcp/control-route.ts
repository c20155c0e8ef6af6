import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault, toFault } from "../../core/fault.ts";
import { readBody } from "../../core/http/read-body.ts";
import { sendJson } from "../../core/http/send-json.ts";

/** Answers one verb; what it throws is told as a fault. */
export type ControlHandler = (verb: string, body: unknown) => Promise<unknown>;

export interface ControlCaller {
  readonly method: string | undefined;
  /** Whether it is on this machine. */
  readonly isNear: boolean;
  /** The name of the token that opened the door. */
  readonly token: string;
}

const largestBody = 64 * 1024;

/** Only whoever can read the main token's file on this machine: what was handed to a client opens tools, not the hub itself. */
export function requireControl({ method, isNear, token }: ControlCaller): void {
  if (method !== "POST") throw new Fault("bad-method", "Send a POST request with a JSON object.");
  requireOwner({ isNear, token });
}

/** Processes of the person whose hub this is. */
export function requireOwner({ isNear, token }: Pick<ControlCaller, "isNear" | "token">): void {
  if (!isNear) throw new Fault("denied", "Only commands on this machine may control the hub.");
  if (token !== "main") throw new Fault("denied", "Only the main token controls the hub, not one of its clients'.");
}

export async function serveControl(
  request: IncomingMessage,
  response: ServerResponse,
  verb: string,
  control: ControlHandler,
): Promise<void> {
  try {
    const result = await control(verb, await readBody(request, largestBody));
    sendJson(response, 200, { result: result ?? null });
  } catch (error) {
    const { code, message, detail, row } = toFault(error);
    // What was not read of the body would be taken for the next request.
    if (code === "too-large") response.setHeader("connection", "close");
    sendJson(response, row.http, { error: { code, message, detail } });
  }
}
