import type { OfferChange } from "../../mcp/offer.ts";
import type { ConnectionState } from "./connection-state.ts";
import type { Link } from "./link.ts";

/** What whoever holds a connection is told about it. */
export interface ConnectionListener {
  /** A new link is there: lists may have changed, watches have to be set again. */
  onOpen?(link: Link): void;
  onState?(state: ConnectionState): void;
  /** The last call that was under way has ended. */
  onIdle?(): void;
  onListChanged?(change: OfferChange): void;
  onResourceUpdated?(uri: string): void;
}
