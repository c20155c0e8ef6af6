/** A whole number above zero from the environment; anything else is a warning and the fallback. */
export function readCount(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  fallback: number,
  warnings: string[],
): number {
  const text = env[name]?.trim();
  if (!text) return fallback;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0 && value < 2 ** 31) return value;
  warnings.push(`${name} is not a whole number above zero: ${fallback} is used.`);
  return fallback;
}
