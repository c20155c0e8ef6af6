import type { StoredTokens } from "./store/credentials.ts";

/** Whether a token is bound to a key of ours. */
export function isDpop({ tokenType }: Pick<StoredTokens, "tokenType">): boolean {
  return tokenType.toLowerCase() === "dpop";
}
