/** Which kind of endpoint a call came through; `server` is a configured MCP server that wants the model (sampling). */
export type DoorKind = "mcp-stdio" | "mcp-http" | "plugin" | "node" | "console" | "cli" | "app-proxy" | "server";

/** Who calls. Everything the guard and the audit know about the other side; never a secret itself. */
export interface Caller {
  readonly door: DoorKind;
  /** The name of the token that opened the door (`main` for the main one), where the door has tokens. */
  readonly token?: string;
  /** What the client calls itself in the handshake: shown, never trusted. */
  readonly client?: string;
  readonly sender?: string;
  readonly agent?: string;
  /** Hashed before it is written anywhere. */
  readonly sessionKey?: string;
}

/**
 * The part of a caller that the door vouches for. What a client calls itself is no part of it: anybody can say that.
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
