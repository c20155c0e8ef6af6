import { approximateJsonSize } from "./json-size.ts";

/**
 * Bytes of UTF-8 for one token, for an estimate without a tokenizer. Measured with o200k: prose and code 4, JSON 3, logs
 * and JSON full of numbers and hashes 2.3 to 2.5, Chinese 5, Russian 7.
 */
export const bytesPerToken = 4;

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** For a value that is sent as JSON. Characters count as one byte each. */
export function estimateTokensOf(value: unknown): number {
  return Math.ceil(approximateJsonSize(value) / bytesPerToken);
}
