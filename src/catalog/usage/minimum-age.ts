import type { ServerPins } from "../guard/pin-file.ts";
import type { Source } from "../source.ts";
import type { DayRow } from "./usage-row.ts";

/** For how long something must have been listed before it is called unused: a new server has had no chance yet. */
const longMs = 7 * 86_400_000;

/** What has been listed for long enough to be judged by its calls. */
export interface MinimumAge {
  server(name: string): boolean;
  /** By the source's own name for it. */
  tool(source: Pick<Source, "id" | "kind">, tool: string): boolean;
}

/**
 * The pins of a server tell when its tools were first listed. Without pins, the ledger tells when a source was first
 * called; a hub always lists the agent's tools, so for them the ledger's first day counts.
 */
export function minimumAge({ pins, rows, now }: MinimumAgeFacts): MinimumAge {
  const isLong = ({ at }: { readonly at: string }): boolean => Date.parse(at) <= now - longMs;
  const servers = new Set(pins.filter((each) => each.pins.some(isLong)).map(({ server }) => server));
  const longPins = pins.flatMap((each) => each.pins.filter(isLong).map(({ kind, id }) => key(each.server, kind, id)));
  const tools = new Set(longPins);
  const called = new Set(rows.filter(({ day }) => isLong({ at: day })).map(({ source }) => source));
  return {
    server: (name) => servers.has(name),
    tool({ id, kind }, tool) {
      if (kind === "server") return tools.has(key(id, "tool", tool));
      return kind === "agent" ? called.size > 0 : called.has(id);
    },
  };
}

const key = (...parts: readonly string[]): string => JSON.stringify(parts);

export interface MinimumAgeFacts {
  readonly pins: readonly ServerPins[];
  /** All that the ledger has. */
  readonly rows: readonly DayRow[];
  readonly now: number;
}
