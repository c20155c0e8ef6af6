import type { Authorizer } from "../../../mcp/client/authorizer.ts";
import type { ServerDefinition } from "../definition.ts";

/** What a connection needs of signing in. */
export interface ConnectionAuth extends Authorizer {
  /** Where it stands, without asking anybody; nothing where the server never asked for it. */
  standing(): AuthStanding | undefined;
}

export interface AuthStanding {
  readonly signedIn: boolean;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

export interface ConnectionAuths {
  /** Nothing for servers that have their key in the configuration, and for those without an address. */
  of(definition: ServerDefinition): ConnectionAuth | undefined;
}
