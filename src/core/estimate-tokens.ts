import { approximateJsonSize } from "./json-size.ts";

/**
 * Every number of tokens that Clawport shows comes from here and is called estimated: a tokenizer takes a second to load,
 * and models differ by more than the estimate does.
 *
 * Bytes of UTF-8 for one token, measured with o200k: prose and code 4, JSON 3, logs and JSON full of numbers and hashes
 * 2.3 to 2.5, Chinese 5, Russian 7.
 */
export const bytesPerToken = 4;

/** Definitions of tools are English and repeat the same few keywords: 4.42 over 899 tools of 43 servers. */
const bytesPerDefinitionToken = 4.4;

export function estimateTokens(text: string): number {
  return tokensOfSize(Buffer.byteLength(text));
}

/** For a value that is sent as JSON. Characters count as one byte each. */
export function estimateTokensOf(value: unknown): number {
  return tokensOfSize(approximateJsonSize(value));
}

/** For what was measured before, in bytes or in characters of JSON. */
export function tokensOfSize(size: number): number {
  return Math.max(0, Math.ceil(size / bytesPerToken));
}

/** For the definition of a tool as clients get it. The same object is measured once. */
export function estimateDefinition(definition: object): number {
  const known = definitionTokens.get(definition);
  if (known !== undefined) return known;
  const tokens = Math.ceil(approximateJsonSize(definition) / bytesPerDefinitionToken);
  definitionTokens.set(definition, tokens);
  return tokens;
}

const definitionTokens = new WeakMap<object, number>();
