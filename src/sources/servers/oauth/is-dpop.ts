/** Whether a token is bound to a key of ours. */
export function isDpop({ tokenType }: { readonly tokenType: string }): boolean {
  return tokenType.toLowerCase() === "dpop";
}
