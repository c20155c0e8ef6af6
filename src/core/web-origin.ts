/** The origin as a browser writes it into `Origin`: in any other writing it would never match. Nothing where it is none. */
export function webOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  if (/^https?:$/.test(url.protocol)) return url.href === `${url.origin}/` ? url.origin : undefined;
  // Pages of browser extensions and of apps have schemes of their own.
  return url.origin === "null" && /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+$/.test(text) ? text : undefined;
}
