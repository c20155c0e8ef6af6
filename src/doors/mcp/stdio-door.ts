import type { Readable, Writable } from "node:stream";
import type { View } from "../../catalog/view.ts";
import type { Log } from "../../core/log.ts";
import type { Telemetry } from "../../core/telemetry/telemetry.ts";
import type { ServerInfo } from "../../mcp/offer.ts";
import { createMcpServer } from "../../mcp/server.ts";
import { serveStdio } from "../../mcp/stdio.ts";
import { type CallGuard, createViewOffer } from "./view-offer.ts";

export interface StdioDoorOptions {
  readonly view: View;
  readonly guard: CallGuard;
  readonly info: ServerInfo;
  readonly log: Log;
  readonly telemetry?: Telemetry | undefined;
  readonly input: Readable;
  readonly output: Writable;
  readonly maxFrameBytes?: number | undefined;
}

/** Serves a view to the one client at the other end of a pipe, until it goes. */
export async function serveStdioDoor(options: StdioDoorOptions): Promise<void> {
  const { view, guard, info, log, telemetry, input, output, maxFrameBytes } = options;
  const server = createMcpServer(createViewOffer({ view, guard, door: "mcp-stdio", info, log, telemetry }), { log });
  try {
    await serveStdio(server, { input, output, log, ...(maxFrameBytes === undefined ? {} : { maxFrameBytes }) });
  } finally {
    server.close();
  }
}
