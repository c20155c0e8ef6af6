const grouped = new Intl.NumberFormat("en-US");

/** `12,345`: for a person. */
export function numberText(value: number): string {
  return grouped.format(value);
}
