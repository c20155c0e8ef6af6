import { approximateJsonSize } from "./json-size.ts";

/**
 * Bytes of UTF-8 for one token, for an estimate without a tokenizer: English prose has 4 to 5 with o200k, JSON and code 3
 * to 4, Chinese about 4.
 */
export const bytesPerToken = 4;

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** For a value that is sent as JSON. Characters count as one byte each. */
export function estimateTokensOf(value: unknown): number {
  return Math.ceil(approximateJsonSize(value) / bytesPerToken);
}
