/** The kind of endpoint a call came through; `server` is a configured MCP server that uses the model (sampling). */
export type DoorKind = "mcp-stdio" | "mcp-http" | "plugin" | "node" | "console" | "cli" | "app-proxy" | "server";

/** Who calls: everything the guard and the audit know about the caller. Never holds a secret. */
export interface Caller {
  readonly door: DoorKind;
  /** The name of the token (`main` for the main one), if the door has tokens. */
  readonly token?: string;
  /** The name the client gives itself in the handshake: shown, never trusted. */
  readonly client?: string;
  readonly sender?: string;
  readonly agent?: string;
  /** Only its hash is ever written down. */
  readonly sessionKey?: string;
}

/**
 * The part of a caller that the door has verified. The client's name is not part of it: any client can claim any name.
 */
export interface CallerScope {
  readonly door: DoorKind;
  readonly token?: string;
  readonly sender?: string;
  readonly agent?: string;
}

export function scopeOfCaller({ door, token, sender, agent }: Caller): CallerScope {
  return {
    door,
    ...(token === undefined ? {} : { token }),
    ...(sender === undefined ? {} : { sender }),
    ...(agent === undefined ? {} : { agent }),
  };
}

export function callerScopeKey({ door, token, sender, agent }: CallerScope): string {
  return JSON.stringify([door, token, sender, agent]);
}
