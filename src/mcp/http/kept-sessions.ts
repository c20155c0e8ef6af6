import type { ClientFacts } from "../messages/client-facts.ts";
import type { McpLogLevel } from "../messages/interim-messages.ts";

/** What is kept of a session beyond this process. */
export interface SessionFacts {
  /** The version that `initialize` agreed on. */
  readonly version: string;
  readonly client: ClientFacts;
  /** What `logging/setLevel` chose; absent for the standard. */
  readonly logLevel?: McpLogLevel | undefined;
  /** The URIs of the resources that it has subscribed to. */
  readonly watched?: readonly string[] | undefined;
}

/**
 * Sessions that outlive their process: 2025-11-25 lets a server end a session at any time, but many clients never open
 * another one.
 */
export interface KeptSessions {
  /** The system has it before any answer of this turn of the event loop leaves the process. Never throws. */
  remember(id: string, principal: string, facts: SessionFacts): void;
  /** Undefined if the session is unknown, ended, expired or another principal's. */
  recall(id: string, principal: string): SessionFacts | undefined;
  /** The session is still in use. Called from time to time, not for every request. */
  touch(id: string, principal: string): void;
  forget(id: string, principal: string): void;
}
