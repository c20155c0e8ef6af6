import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault, toFault } from "../../core/fault.ts";
import type { BodyIntake } from "../../core/http/body-intake.ts";
import { leavesBodyUnread } from "../../core/http/read-body.ts";
import { sendJson } from "../../core/http/send-json.ts";
import { mainTokenName } from "./gate.ts";

/** Answers one verb; whatever it throws is sent as a fault. */
export type ControlHandler = (verb: string, body: unknown) => Promise<unknown>;

export interface ControlCaller {
  readonly method: string | undefined;
  /** Whether it is on this machine. */
  readonly isNear: boolean;
  /** The name of the token it presented. */
  readonly token: string;
}

const largestBody = 64 * 1024;

/** Only for callers on this machine that can read the main token's file: a client's token gives access to tools, not to the hub. */
export function requireControl({ method, isNear, token }: ControlCaller): void {
  if (method !== "POST") throw new Fault("bad-method", "Send a POST request with a JSON object.");
  requireOwner({ isNear, token });
}

/** Only for processes of the hub's owner. */
export function requireOwner({ isNear, token }: Pick<ControlCaller, "isNear" | "token">): void {
  if (!isNear) throw new Fault("denied", "Only commands on this machine may control the hub.");
  if (token !== mainTokenName)
    throw new Fault("denied", "Only the main token may control the hub, not the token of a client.");
}

export async function serveControl(
  request: IncomingMessage,
  response: ServerResponse,
  verb: string,
  { control, intake }: { readonly control: ControlHandler; readonly intake: BodyIntake },
): Promise<void> {
  try {
    const result = await control(verb, await intake.read(request, { holder: mainTokenName, maxBytes: largestBody }));
    sendJson(response, 200, { result: result ?? null });
  } catch (error) {
    const fault = toFault(error);
    const { code, message, detail, row } = fault;
    if (leavesBodyUnread(request, fault)) response.setHeader("connection", "close");
    sendJson(response, row.http, { error: { code, message, detail } });
  }
}
