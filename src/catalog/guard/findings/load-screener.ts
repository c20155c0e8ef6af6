import type * as screener from "../../screen/screener.ts";

export type Screener = typeof screener;

let loaded: Screener | undefined;
let loading: Promise<Screener> | undefined;

/** The rules and their words are a quarter of the engine's code, and an engine without servers and apps reads nothing. */
export function loadScreener(): Promise<Screener> {
  loading ??= import("../../screen/screener.ts").then((all) => (loaded = all));
  return loading;
}

/** Undefined while it is not loaded: nothing may be listed or called then that has to be read. */
export const loadedScreener = (): Screener | undefined => loaded;
