/** Whether a value is what JSON calls an object: neither a list nor `null`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value where it is an object, else an empty one: for reading fields of what may not have them. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
