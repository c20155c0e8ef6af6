import { clientTable } from "../../../sources/servers/import/client-table.ts";

/** How a client gets the tools: `full` as one list, `search` through three tools that find and call the others. */
export type Surface = "full" | "search";

/** `auto` chooses for each client. */
export type SurfaceSetting = Surface | "auto";

export const surfaceSettings: readonly SurfaceSetting[] = ["auto", "full", "search"];

export function isSurfaceSetting(value: unknown): value is SurfaceSetting {
  return surfaceSettings.includes(value as SurfaceSetting);
}

/** Lists up to this size cost a client less than a search would. */
const maxTools = 60;
const maxBytes = 60 * 1024;

/** How much there is to list. */
export interface ListSize {
  readonly tools: number;
  readonly bytes: number;
}

export interface ChosenSurface {
  readonly surface: Surface;
  /** For the log and for `clawport status`. */
  readonly why: string;
}

/** Clients that load definitions on demand, and our own relay, which chooses for its own client. */
const deferring: ReadonlySet<string> = new Set([
  "clawport",
  ...clientTable.flatMap(({ defersTools }) => defersTools?.name ?? []),
]);

/** Which surface a client gets. `client` is its name in `clientInfo`, if it gave one. */
export function chooseSurface(setting: SurfaceSetting, client: string | undefined, size: ListSize): ChosenSurface {
  if (setting !== "auto") return { surface: setting, why: "as configured" };
  if (client === undefined || client === "") return { surface: "full", why: "the client did not give its name" };
  if (deferring.has(client.toLowerCase())) return { surface: "full", why: "this client loads definitions on demand" };
  if (size.tools <= maxTools && size.bytes <= maxBytes) return { surface: "full", why: "the list is small" };
  const why = size.tools > maxTools ? `more than ${maxTools} tools` : "more than 60 KB of definitions";
  return { surface: "search", why };
}
