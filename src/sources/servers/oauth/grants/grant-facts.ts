import type { FoundPlace } from "../find-place.ts";

/** What a grant needs to know to make its request. */
export interface GrantFacts {
  readonly found: FoundPlace;
  readonly scope: string | undefined;
}
