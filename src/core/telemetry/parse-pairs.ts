/**
 * `name=value,name=value`, percent-encoded, as the OpenTelemetry variables hold it (the form of W3C Baggage without
 * properties). One bad part makes the whole undefined: the specification wants such a value discarded.
 */
export function parsePairs(text: string): [string, string][] | undefined {
  const pairs: [string, string][] = [];
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const split = part.indexOf("=");
    if (split < 1) return undefined;
    try {
      pairs.push([decodeURIComponent(part.slice(0, split).trim()), decodeURIComponent(part.slice(split + 1).trim())]);
    } catch {
      return undefined;
    }
  }
  return pairs;
}
