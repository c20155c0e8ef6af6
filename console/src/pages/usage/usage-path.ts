import { pathTo } from "../../router/route.tsx";

/** A part of the page, for the same time. */
export function usagePath(tab: string, days: number, filter: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({ days: String(days), ...filter });
  return `${tab === "" ? pathTo("usage") : pathTo("usage", tab)}?${query}`;
}
