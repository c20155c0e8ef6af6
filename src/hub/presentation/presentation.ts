import type { HubControl } from "../control/verbs.ts";

/** What the text of a command is made with. It knows nothing of a terminal: a chat shows it, too. */
export interface PresentationContext {
  readonly control: HubControl;
  /** What the commands in an answer begin with: `clawport`, or `/mcp` in a chat. */
  readonly prefix: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether servers are named without their arguments, since who asks may not be the owner. */
  readonly hidesArguments?: boolean | undefined;
  /** Makes a heading stand out on a terminal. */
  readonly heading?: ((text: string) => string) | undefined;
  /** Shows rows as a table that fits the terminal. Absent in a chat, where the text has a form of its own. */
  readonly table?: (<Row>(rows: readonly Row[], columns: readonly Column<Row>[]) => string) | undefined;
}

/** What a cell means, for the colour it is shown in. */
export type Tone = "good" | "weak" | "bad" | "quiet";

export interface Column<Row> {
  readonly title: string;
  text(row: Row): string;
  tone?(row: Row): Tone | undefined;
  /** Numbers stand under each other. */
  readonly align?: "right" | undefined;
}

/** What a command found or did: data for a program, text for a person. */
export interface Presented {
  /** False if it was done, but with a problem. */
  readonly ok: boolean;
  readonly data: unknown;
  readonly text: string;
}

/** The answer if no server is configured. */
export function noServers({ prefix }: Pick<PresentationContext, "prefix">): string {
  return `No servers are configured. ${addServerHint({ prefix })}`;
}

export function addServerHint({ prefix }: Pick<PresentationContext, "prefix">): string {
  return `Run \`${prefix} connect <address or command>\` to add one.`;
}
