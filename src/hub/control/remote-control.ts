import { parseJson } from "../../core/json.ts";
import { Fault, isFaultCode } from "../../core/fault.ts";
import { hubControlUrl } from "../../core/http/hub-routes.ts";
import { readText, sendHttp } from "../../core/http/send-http.ts";
import { createSocketAgent } from "../../core/http/socket-agent.ts";
import { isRecord } from "../../core/is-record.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { withDeadline } from "../../core/wait.ts";
import { createVerbClient } from "./control-api.ts";
import type { RunningHub } from "./find-hub.ts";
import type { HubControl } from "./hub-control.ts";

export interface RemoteControlOptions {
  readonly log?: Log;
  /** Whether a user is there who can answer what a called tool asks. */
  readonly canAsk?: boolean;
}

export interface RemoteControl extends HubControl {
  close(): void;
}

const largestAnswer = 256 * 1024 * 1024;

/** What can be asked of a hub that runs in another process. */
export function createRemoteControl(hub: RunningHub, options: RemoteControlOptions = {}): RemoteControl {
  const { log = silentLog, canAsk = false } = options;
  const agent = createSocketAgent(hub.socket);
  const control = createVerbClient(ask);
  return {
    ...control,
    tools: {
      ...control.tools,
      async call(tool, args, context) {
        const { callRemoteTool } = await import("./remote-call.ts");
        return callRemoteTool({ hub, log, canAsk }, tool, args, context);
      },
    },
    close: () => agent.destroy(),
  };

  async function ask(verb: string, body: object, withinMs: number): Promise<unknown> {
    const headers = { authorization: `Bearer ${hub.key.reveal()}`, "content-type": "application/json" };
    const url = hubControlUrl(hub.address, verb);
    const { status, text } = await withDeadline(withinMs, undefined, async (signal) => {
      const response = await sendHttp({ url, method: "POST", headers, body: JSON.stringify(body), agent, signal });
      return { status: response.statusCode ?? 0, text: await readText(response, largestAnswer) };
    });
    const answer = parseAnswer(text);
    // JSON has no undefined, and no verb answers with null.
    if (answer !== undefined && "result" in answer) return answer.result ?? undefined;
    throw faultOf(answer?.error, status, hub.address);
  }
}

interface ControlAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly detail?: unknown };
}

function parseAnswer(text: string): ControlAnswer | undefined {
  try {
    const value = parseJson(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function faultOf(error: ControlAnswer["error"], status: number, address: string): Fault {
  if (isFaultCode(error?.code) && typeof error?.message === "string")
    return new Fault(error.code, error.message, { detail: error.detail });
  if (status === 401) {
    const message = `The hub at ${address} rejected the key in its state folder. Restart it: \`clawport stop\`, then \`clawport up\`.`;
    return new Fault("unauthorized", message);
  }
  return new Fault("unavailable", `The hub at ${address} did not answer (status ${status}). Is it an older version?`);
}
