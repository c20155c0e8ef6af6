import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node";
import type { Log } from "../../../core/log.ts";

/**
 * Subscribes. A message that can't be handled is logged and dropped: an exception that left the callback would end the
 * whole connection for good, without a reconnect.
 */
export function listen(
  connection: NatsConnection,
  subject: string,
  take: (message: Msg) => unknown,
  { log, queue }: { readonly log: Log; readonly queue?: string },
): Subscription {
  return connection.subscribe(subject, {
    ...(queue !== undefined && { queue }),
    callback: (error, message) => {
      if (error) return;
      try {
        take(message);
      } catch (reason) {
        log.warn("a message of another instance could not be handled", { error: reason });
      }
    },
  });
}
