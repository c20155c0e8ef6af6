import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault, toFault } from "../../core/fault.ts";
import type { BodyIntake } from "../../core/http/body-intake.ts";
import { leavesBodyUnread } from "../../core/http/read-body.ts";
import { sendJson } from "../../core/http/send-json.ts";
import { type HubKeyName, mainTokenName } from "./gate.ts";

/** Answers one verb for the holder of this key; whatever it throws is sent as a fault. The signal aborts if the client goes away. */
export type ControlHandler = (verb: string, body: unknown, key: HubKeyName, signal?: AbortSignal) => Promise<unknown>;

export interface ControlRequest {
  readonly verb: string;
  /** Undefined for a caller with a token. */
  readonly key: HubKeyName | undefined;
  readonly control: ControlHandler;
  readonly intake: BodyIntake;
}

/** A question can be as long as the call that it is about. */
export const maxControlBytes = 16 * 1024 * 1024;

/**
 * Tokens are for tools, and are in files of clients: they control nothing. Programs of earlier versions still try it with
 * the main token, and print what this says.
 */
export const forKeysOnly = (): Fault =>
  new Fault(
    "conflict",
    "Commands and relays use the hub's socket now, and tokens don't control the hub. If this program is an earlier version of Clawport, update it and start it again.",
    { detail: { reason: "restart" } },
  );

export async function serveControl(
  request: IncomingMessage,
  response: ServerResponse,
  { verb, key, control, intake }: ControlRequest,
): Promise<void> {
  try {
    if (key === undefined) throw forKeysOnly();
    if (request.method !== "POST") throw new Fault("bad-method", "Send a POST request with a JSON object.");
    const body = await intake.read(request, { holder: mainTokenName, maxBytes: maxControlBytes });
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    sendJson(response, 200, { result: (await control(verb, body, key, gone.signal)) ?? null });
  } catch (error) {
    const fault = toFault(error);
    const { code, message, detail, row } = fault;
    if (leavesBodyUnread(request, fault) || key === undefined) response.setHeader("connection", "close");
    sendJson(response, row.http, { error: { code, message, detail } });
  }
}
