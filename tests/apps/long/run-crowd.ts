import { startMeasured } from "./start-measured.ts";

export interface CrowdReport {
  readonly opened: number;
  readonly refused: number;
  readonly served: number;
  readonly listed: number;
  /** Megabytes before, with all sessions open, and at the peak. */
  readonly memory: readonly [before: number, after: number, peak: number];
}

/** Opens that many sessions with that many tools each, all different, while a good app must be served. */
export async function runCrowd(sessions: number, tools: number): Promise<CrowdReport> {
  await using measured = await startMeasured();
  const { proxy } = measured;
  const before = measured.memory();
  let [next, opened, refused] = [0, 0, 0];
  const worker = async () => {
    for (let at = next++; at < sessions; at = next++) {
      const body = { device_id: `${at}`, ttl_seconds: 86_400, tools: toolsOf(at, tools) };
      const { status } = await proxy.ask("POST", "/v1/chat/sessions", body);
      if (status === 200) opened++;
      else if (status === 503) refused++;
      else throw new Error(`session ${at}: ${status}`);
      if (at % 100 === 0) await measured.serveGood();
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  await measured.serveGood();
  const { body } = await proxy.ask("GET", "/v1/chat/sessions");
  const memory = [before, measured.memory(), measured.peak()] as const;
  return { opened, refused, served: measured.served, listed: body.sessions.length, memory };
}

function toolsOf(session: number, count: number): object[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `tool_${at}`,
    description: `Tool ${at} of the app number ${session}.`,
    input_schema: {
      type: "object",
      properties: {
        text: { type: "string", description: `Text for ${session}.` },
        count: { type: "integer", minimum: at },
      },
      required: ["text"],
    },
  }));
}
