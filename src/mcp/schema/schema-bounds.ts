import type { ValueBounds } from "./measure-value.ts";

/** Depth counts every object and array, so a nested field costs two. */
export const schemaBounds: ValueBounds = { depth: 128, nodes: 20_000 };
