import type { Log } from "../../../core/log.ts";
import type { McpLogLevel } from "../../../mcp/messages/interim-messages.ts";
import type { Connection } from "./connection.ts";
import type { Link } from "./link.ts";

/** Asks a legacy server to log at debug level once a caller requests that. */
export interface RequestedLogLevel {
  note(level: McpLogLevel | undefined): void;
  close(): void;
}

/** Other levels are not sent to the server: the door drops the lines that a client did not request. */
export function createRequestedLogLevel(connection: Connection, log: Log): RequestedLogLevel {
  let isDebugRequested = false;
  const stop = connection.listen({ onOpen: (link) => isDebugRequested && setDebugLevel(link) });
  return {
    note(level) {
      if (level !== "debug" || isDebugRequested) return;
      isDebugRequested = true;
      const link = connection.link();
      if (link) setDebugLevel(link);
    },
    close: stop,
  };

  function setDebugLevel(link: Link): void {
    const { era, capabilities } = link.agreement;
    if (era !== "legacy" || capabilities.logging === undefined) return;
    const options = { timeoutMs: connection.definition.requestTimeoutMs };
    link.request("logging/setLevel", { level: "debug" }, options).catch((error: unknown) => {
      log.debug("the server refused to change its log level", { error });
    });
  }
}
