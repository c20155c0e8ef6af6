import type { HubControl } from "../control/hub-control.ts";

/** What a verb works with. Verbs know nothing of a terminal: a chat runs them, too. */
export interface VerbContext {
  readonly control: HubControl;
  /** What the commands in an answer begin with: `clawport`, or `/mcp` in a chat. */
  readonly prefix: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What a verb found or did: data for a program, text for a person. */
export interface VerbResult {
  /** False if it was done, but with a problem. */
  readonly ok: boolean;
  readonly data: unknown;
  readonly text: string;
}

/** The answer if no server is configured. */
export function noServers({ prefix }: Pick<VerbContext, "prefix">): string {
  return `No servers are configured. ${addServerHint({ prefix })}`;
}

export function addServerHint({ prefix }: Pick<VerbContext, "prefix">): string {
  return `Run \`${prefix} connect <address or command>\` to add one.`;
}
