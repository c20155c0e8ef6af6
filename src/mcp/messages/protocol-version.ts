/** The revisions that open with `initialize` and may keep a session, newest first. */
export const legacyVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] as const;

/** The revisions where every request stands alone and says its version in `_meta`, newest first. */
export const modernVersions = ["2026-07-28"] as const;

export const supportedVersions: readonly string[] = [...modernVersions, ...legacyVersions];

export type Era = "legacy" | "modern";

const latestLegacy: string = legacyVersions[0];

export function isLegacyVersion(version: string): boolean {
  return (legacyVersions as readonly string[]).includes(version);
}

export function isModernVersion(version: string): boolean {
  return (modernVersions as readonly string[]).includes(version);
}

/** What `initialize` answers: the client's version where we speak it, else our newest of that era. */
export function negotiateLegacy(requested: unknown): string {
  return typeof requested === "string" && isLegacyVersion(requested) ? requested : latestLegacy;
}

/** JSON-RPC batches existed before 2025-06-18; the revisions are dates, so text compares. */
export function allowsBatches(version: string | undefined): boolean {
  return version === undefined || version < "2025-06-18";
}

/** Priming events and `retry` on SSE streams came with 2025-11-25; older clients trip over an event without data. */
export function primesStreams(version: string | undefined): boolean {
  return version !== undefined && version >= "2025-11-25";
}
