/** The revisions that start with `initialize` and may have a session, newest first. */
export const legacyVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] as const;

/** The revisions where every request is independent and names its version in `_meta`, newest first. */
export const modernVersions = ["2026-07-28"] as const;

export const supportedVersions: readonly string[] = [...modernVersions, ...legacyVersions];

export type Era = "legacy" | "modern";

const latestLegacy: string = legacyVersions[0];

/** The revision to assume of a client that names none: the last one without the header `MCP-Protocol-Version`. */
export const assumedVersion = "2025-03-26";

export function isLegacyVersion(version: string): boolean {
  return (legacyVersions as readonly string[]).includes(version);
}

export function isModernVersion(version: string): boolean {
  return (modernVersions as readonly string[]).includes(version);
}

/** The version `initialize` answers with: the client's if it is supported, otherwise the newest legacy one. */
export function negotiateLegacy(requested: unknown): string {
  return typeof requested === "string" && isLegacyVersion(requested) ? requested : latestLegacy;
}

/** JSON-RPC batches existed before 2025-06-18. Versions are dates, so they compare as text. */
export function allowsBatches(version: string | undefined): boolean {
  return version === undefined || version < "2025-06-18";
}

/** Priming events and `retry` came with 2025-11-25; older clients fail on an event without data. */
export function primesStreams(version: string | undefined): boolean {
  return version !== undefined && version >= "2025-11-25";
}
