import { parseJson } from "../../core/json.ts";
import { Fault, isFaultCode, toFault } from "../../core/fault.ts";
import { hubControlUrl, hubTerminalUrl } from "../../core/http/hub-routes.ts";
import { readText, sendHttp } from "../../core/http/send-http.ts";
import { createSocketAgent } from "../../core/http/socket-agent.ts";
import { isRecord } from "../../core/is-record.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { readVersion } from "../../core/version.ts";
import { withDeadline } from "../../core/wait.ts";
import { createVerbClient } from "./verb-client.ts";
import type { RunningHub } from "../state/find-hub.ts";
import type { HubControl } from "./verbs.ts";

export interface RemoteControlOptions {
  readonly log?: Log;
  /** Whether a user is there who can answer what a called tool asks. */
  readonly canAsk?: boolean;
}

export type RemoteControl = HubControl & {
  close(): void;
};

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
        const { asksBack, openHubClient } = await import("./hub-client.ts");
        const { paramHeaders } = await import("../../mcp/messages/mirrored-headers.ts");
        await using client = await openHubClient(hub, {
          url: hubTerminalUrl(hub.address),
          info: { name: "clawport call", version: readVersion() },
          capabilities: canAsk ? asksBack : {},
          log,
          handshakeMs: 10_000,
          signal: context.signal,
        });
        const headers = client.agreement.era === "modern" ? paramHeaders(tool, args) : undefined;
        return await client.call({ name: tool.name, arguments: args }, context, { headers });
      },
    },
    close: () => agent.destroy(),
  };

  async function ask(verb: string, body: object, withinMs: number, given?: AbortSignal): Promise<unknown> {
    const headers = { authorization: `Bearer ${hub.key.reveal()}`, "content-type": "application/json" };
    const url = hubControlUrl(hub.address, verb);
    const answering = withDeadline(withinMs, given, async (signal) => {
      const response = await sendHttp({ url, method: "POST", headers, body: JSON.stringify(body), agent, signal });
      return { status: response.statusCode ?? 0, text: await readText(response, largestAnswer) };
    });
    const { status, text } = await answering.catch((error: unknown) => {
      throw toFault(error).code === "timeout" ? silentHub(hub.name, error) : error;
    });
    const answer = parseAnswer(text);
    // JSON has no undefined, and no verb answers with null.
    if (answer !== undefined && "result" in answer) return answer.result ?? undefined;
    throw faultOf(answer?.error, status, hub.name);
  }
}

interface ControlAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly detail?: unknown };
}

function silentHub(hub: string, cause: unknown): Fault {
  return new Fault("timeout", `No answer from ${hub} in time. Run \`clawport doctor\` to see what helps.`, { cause });
}

function parseAnswer(text: string): ControlAnswer | undefined {
  try {
    const value = parseJson(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function faultOf(error: ControlAnswer["error"], status: number, hub: string): Fault {
  if (isFaultCode(error?.code) && typeof error?.message === "string")
    return new Fault(error.code, error.message, { detail: error.detail });
  if (status === 401) {
    const message = `The key in the state folder was rejected by ${hub}. Restart it: \`clawport stop\`, then \`clawport up\`.`;
    return new Fault("unauthorized", message);
  }
  return new Fault("unavailable", `No answer from ${hub} (status ${status}). Is it an older version?`);
}
