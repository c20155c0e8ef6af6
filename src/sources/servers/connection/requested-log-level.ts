import type { Log } from "../../../core/log.ts";
import type { McpLogLevel } from "../../../mcp/messages/interim-messages.ts";
import type { Connection } from "./connection.ts";
import type { Link } from "./link.ts";

/** What callers want to know of a legacy server's log, told to the server where it is more than servers say unasked. */
export interface RequestedLogLevel {
  note(level: McpLogLevel | undefined): void;
  close(): void;
}

/** Levels above `debug` need no word: what a caller does not want is dropped at the door. */
export function createRequestedLogLevel(connection: Connection, log: Log): RequestedLogLevel {
  let wantsAll = false;
  const stop = connection.listen({ onOpen: (link) => wantsAll && tell(link) });
  return {
    note(level) {
      if (level !== "debug" || wantsAll) return;
      wantsAll = true;
      const link = connection.link();
      if (link) tell(link);
    },
    close: stop,
  };

  function tell(link: Link): void {
    const { era, capabilities } = link.agreement;
    if (era !== "legacy" || capabilities.logging === undefined) return;
    const options = { timeoutMs: connection.definition.requestTimeoutMs };
    link.request("logging/setLevel", { level: "debug" }, options).catch((error: unknown) => {
      log.debug("the server does not log more", { error });
    });
  }
}
