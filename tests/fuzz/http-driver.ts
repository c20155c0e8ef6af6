import { Agent, request } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../src/core/fault.ts";
import { nextFrames } from "./frames.ts";
import { checkResponse, prepareJob, sessionVersion } from "./http-job.ts";
import type { HttpJob } from "./http-job.ts";
import type { Random } from "../support/random.ts";
import type { Driver } from "./stdio-driver.ts";

const atOnce = 16;
const initialize = Buffer.from(
  JSON.stringify({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: sessionVersion, capabilities: {}, clientInfo: { name: "fuzz", version: "1" } },
  }),
);

type Headers = Readonly<Record<string, string>>;

/** Sends to the target over HTTP, sixteen requests at once, some of them in a session that lasts one round. */
export function createHttpDriver(port: number, random: Random): Driver {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  let nextId = 1;

  return {
    async round(messages) {
      const sessions = new Set<string>();
      await post(initialize, {}, undefined, sessions);
      const [session] = sessions;
      if (session === undefined) throw new Fault("corrupt", "initialize opened no session.");
      const jobs: HttpJob[] = [];
      while (jobs.length < messages) {
        jobs.push(...nextFrames(random, nextId++, []).map((frame) => prepareJob(random, frame)));
      }
      const queue = jobs.values();
      await Promise.all(Array.from({ length: atOnce }, () => work(queue, session, sessions)));
      for (const id of sessions) (await responseTo(open("DELETE", { "mcp-session-id": id }).end())).resume();
    },
  };

  async function work(queue: Iterable<HttpJob>, session: string, sessions: Set<string>): Promise<void> {
    for (const job of queue) {
      const headers = job.inSession ? { ...job.headers, "mcp-session-id": session } : job.headers;
      if (job.frame.endless) await leaveEarly(job, headers);
      else {
        const { status, body } = await post(job.frame.bytes, headers, job.cutAt, sessions);
        checkResponse(job, status, body);
      }
    }
  }

  async function leaveEarly({ frame, leaveAfterMs }: HttpJob, headers: Headers): Promise<void> {
    const left = open("POST", { ...headers, "content-type": "application/json" });
    left.on("error", () => {});
    left.end(frame.bytes);
    await sleep(leaveAfterMs);
    left.destroy();
  }

  async function post(bytes: Buffer, headers: Headers, cutAt: number | undefined, sessions: Set<string>) {
    const accept = "application/json, text/event-stream";
    const outgoing = open("POST", { accept, "content-type": "application/json", ...headers });
    if (cutAt !== undefined) outgoing.write(bytes.subarray(0, cutAt));
    outgoing.end(bytes.subarray(cutAt ?? 0));
    const response = await responseTo(outgoing);
    const id = response.headers["mcp-session-id"];
    if (typeof id === "string") sessions.add(id);
    return { status: response.statusCode ?? 0, body: await text(response) };
  }

  function open(method: string, headers: Headers): ClientRequest {
    return request({ host: "127.0.0.1", port, path: "/", method, agent, headers, timeout: 30_000 });
  }
}

function responseTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  outgoing.once("response", resolve).once("error", reject);
  outgoing.once("timeout", () => outgoing.destroy(new Fault("timeout", "An HTTP request was never answered.")));
  return promise;
}
