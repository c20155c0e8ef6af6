import { Fault } from "../../../../core/fault.ts";
import { isRecord } from "../../../../core/is-record.ts";

/** The same headers as the client library sends. */
const headers = { accept: "application/json", "mcp-protocol-version": "2025-11-25" };

/** The document at a URL; undefined if there is none. Throws a fault if that can't be found out. */
export async function fetchMetadata(
  url: URL,
  { fetch, signal }: { readonly fetch: typeof globalThis.fetch; readonly signal?: AbortSignal | undefined },
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const response = await fetch(url, { headers, ...(signal && { signal }) });
  if (!response.ok) {
    await response.body?.cancel().catch(() => {});
    // A proxy may answer 502 if the server behind it has no such page.
    if (response.status < 500 || response.status === 502) return undefined;
    throw new Fault(
      "unavailable",
      `${url.host} answered ${url.pathname} with HTTP ${response.status}. Try again later.`,
    );
  }
  const value: unknown = await response.json().catch(() => undefined);
  if (isRecord(value)) return value;
  throw new Fault("unavailable", `${url.host} answered ${url.pathname} with something that is not a JSON object.`);
}
