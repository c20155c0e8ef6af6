/** What is said of a request in the open anyhow. */
const openNames: ReadonlySet<string> = new Set([
  "audience",
  "client_assertion_type",
  "client_id",
  "grant_type",
  "redirect_uri",
  "requested_token_type",
  "resource",
  "scope",
  "subject_token_type",
  "token_type_hint",
]);

/** So much of a secret counts as telling it. */
const tellingLength = 8;

/** What a request to an authorization server holds that nobody else may see: codes, tokens, proofs, secrets. */
export function secretsIn({ headers, body }: RequestInit): readonly string[] {
  const form = new URLSearchParams(body instanceof URLSearchParams || typeof body === "string" ? body : "");
  const sent = new Headers(headers);
  const values = [...form].flatMap(([name, value]) => (openNames.has(name) ? [] : [value]));
  const shown = ["authorization", "dpop"].flatMap((name) => sent.get(name)?.split(" ").at(-1) ?? []);
  return [...values, ...shown].filter((value) => value !== "");
}

/** Whether an answer repeats a secret that it was sent, be it in part: some do so to say what they did not like. */
export function isEcho(text: string, secrets: readonly string[]): boolean {
  const parts = Array.from({ length: Math.max(0, text.length - tellingLength + 1) }, (_, at) =>
    text.slice(at, at + tellingLength),
  );
  return secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .some((secret) => text.includes(secret) || parts.some((part) => secret.includes(part)));
}
