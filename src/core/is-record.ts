import { isExactNumber } from "./exact-number.ts";

/** Whether a value is what JSON calls an object: neither a list nor `null`, nor a number that was kept as text. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** The value if it is an object, else an empty object: for reading fields that may not be there. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
