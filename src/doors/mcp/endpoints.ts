import type { Catalog } from "../../catalog/catalog.ts";
import type { ServerInfo } from "../../mcp/offer.ts";
import type { Log } from "../../core/log.ts";
import type { Telemetry } from "../../core/telemetry/telemetry.ts";
import type { Admission } from "../../mcp/http/admission.ts";
import { createHttpEndpoint, type HttpEndpoint } from "../../mcp/http/endpoint.ts";
import type { SpillOptions } from "../../mcp/json-spiller.ts";
import { createMcpServer, type McpServer } from "../../mcp/server.ts";
import { type CallGuard, createViewOffer } from "./view-offer.ts";

/** A source whose calls carry media: its view takes larger bodies, and puts their long texts into files. */
export interface LargeBodies {
  readonly source: string;
  readonly maxBodyBytes: number;
  readonly spill: SpillOptions;
}

export interface EndpointsOptions {
  readonly catalog: Catalog;
  readonly guard: CallGuard;
  readonly info: ServerInfo;
  readonly log: Log;
  readonly telemetry?: Telemetry | undefined;
  readonly admission: Admission;
  readonly maxBodyBytes: number;
  readonly largeBodies?: LargeBodies | undefined;
}

/** One endpoint a view, made when it is first asked for: the whole catalog, or one source under bare names. */
export interface Endpoints {
  whole(): HttpEndpoint;
  /** Nothing where there is no such source. */
  ofSource(id: string): HttpEndpoint | undefined;
  sessionCount(): number;
  close(): void;
}

export function createEndpoints(options: EndpointsOptions): Endpoints {
  const { catalog, guard, info, log, telemetry, admission, maxBodyBytes, largeBodies } = options;
  const made = new Map<string, { server: McpServer; endpoint: HttpEndpoint }>();

  return {
    whole: () => endpointOf(""),
    ofSource: (id) => (catalog.sources().some((source) => source.id === id) ? endpointOf(id) : undefined),
    sessionCount: () => made.values().reduce((sum, { endpoint }) => sum + endpoint.sessionCount, 0),
    close() {
      for (const { server, endpoint } of made.values()) {
        endpoint.close();
        server.close();
      }
    },
  };

  function endpointOf(source: string): HttpEndpoint {
    let found = made.get(source);
    if (!found) {
      const view = catalog.view(source === "" ? "all" : { source });
      const server = createMcpServer(createViewOffer({ view, guard, door: "mcp-http", info, log, telemetry }), { log });
      const bodies = source === largeBodies?.source ? largeBodies : { maxBodyBytes };
      found = { server, endpoint: createHttpEndpoint(server, { log, admission, ...bodies }) };
      made.set(source, found);
    }
    return found.endpoint;
  }
}
