import type { HubControl } from "../control/hub-control.ts";

/** What the handlers of commands work with. Nothing here knows a terminal: a chat calls them as well. */
export interface VerbContext {
  readonly control: HubControl;
  /** What commands begin with where the answer is read: `clawport`, or `/mcp` in a chat. */
  readonly prefix: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What a command found or did: data for a program, text for a person. */
export interface VerbResult {
  /** False where it was done but did not go well. */
  readonly ok: boolean;
  readonly data: unknown;
  readonly text: string;
}

/** What is said where no server is configured. */
export function noServers({ prefix }: Pick<VerbContext, "prefix">): string {
  return `No servers are configured. Add one with: ${prefix} connect <address or command>`;
}
