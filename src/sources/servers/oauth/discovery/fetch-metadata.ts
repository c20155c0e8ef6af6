import { Fault, isFault } from "../../../../core/fault.ts";
import { isRecord } from "../../../../core/is-record.ts";
import { withoutNulls } from "../tokens/read-token-response.ts";

interface MetadataOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The first document among several well-known URLs; undefined if there is none. A web page or an error at one of them says
 * nothing about the next. If none has the document, that error is thrown: a passing fault must not look like "no document".
 */
export async function findMetadata(
  urls: readonly URL[],
  options: MetadataOptions,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  let problem: Fault | undefined;
  for (const url of urls) {
    try {
      const found = await fetchMetadata(url, options);
      if (found) return found;
    } catch (error) {
      if (!isFault(error, "unavailable") || options.signal?.aborted) throw error;
      problem ??= error;
    }
  }
  if (problem) throw problem;
  return undefined;
}

/** The same headers as the client library sends. */
const headers = { accept: "application/json", "mcp-protocol-version": "2025-11-25" };

/** The document at a URL; undefined if there is none. Throws a fault if that can't be found out. */
async function fetchMetadata(
  url: URL,
  { fetch, signal }: MetadataOptions,
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
  if (isRecord(value)) return withoutNulls(value);
  throw new Fault("unavailable", `${url.host} answered ${url.pathname} with something that is not a JSON object.`);
}
