import { Fault } from "../../../../core/fault.ts";
import { isRecord } from "../../../../core/is-record.ts";

/** What discovery asks with, as the client library does. */
const headers = { accept: "application/json", "mcp-protocol-version": "2025-11-25" };

/** The document at an address; nothing where there is none. Faults where that is not known. */
export async function fetchMetadata(
  url: URL,
  { fetch, signal }: { readonly fetch: typeof globalThis.fetch; readonly signal?: AbortSignal | undefined },
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const response = await fetch(url, { headers, ...(signal && { signal }) });
  if (!response.ok) {
    await response.body?.cancel().catch(() => {});
    // A proxy in front of a server without such a page may answer 502 for it.
    if (response.status < 500 || response.status === 502) return undefined;
    throw new Fault(
      "unavailable",
      `${url.host} answered ${url.pathname} with HTTP ${response.status}. Try again later.`,
    );
  }
  const value: unknown = await response.json().catch(() => undefined);
  if (isRecord(value)) return value;
  throw new Fault("unavailable", `${url.host} answered ${url.pathname} with something that is no JSON object.`);
}
