/** Where in a value: field names and array positions from the root down. */
export type Place = readonly (string | number)[];

const longestName = 60;
const plainName = /^[\w$-]{1,60}$/;

/** A name from outside, fit for a message: quoted, escaped, bounded. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > longestName ? `${name.slice(0, longestName)}…` : name);
}

/** `filter.sizes[2]: text`; at the root the text alone. */
export function atPlace(place: Place, text: string): string {
  if (place.length === 0) return text;
  let written = "";
  for (const step of place) {
    if (typeof step === "number") written += `[${step}]`;
    else if (!plainName.test(step)) written += `[${quoteName(step)}]`;
    else written += written === "" ? step : `.${step}`;
  }
  return `${written}: ${text}`;
}

export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Values a schema lists are no secrets: showing a few of them is what lets a caller mend its arguments. */
export function listAllowed(values: readonly unknown[]): string {
  const shown = values.slice(0, 8).map((value) => (typeof value === "string" ? quoteName(value) : shorten(value)));
  return values.length > shown.length ? `${shown.join(", ")}, …` : shown.join(", ");
}

function shorten(value: unknown): string {
  return typeof value === "object" && value !== null ? kindOf(value) : String(value);
}
