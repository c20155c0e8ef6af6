/** Shorter ones are words that stand anywhere. */
const shortestSecret = 6;

/** Some peers repeat in their error what they were sent, keys included. */
export function maskSent(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= shortestSecret)
    .reduce((safe, secret) => safe.replaceAll(secret, "[redacted]"), text);
}
